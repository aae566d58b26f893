/**
 * The roof: every room once, then the schema.
 */
import './graph/node.queries.ts';
import './resources/page/page.ts';
import './resources/audience/audience.ts';
import { builder } from './graph/builder.ts';

export const schema = builder.toSchema();
