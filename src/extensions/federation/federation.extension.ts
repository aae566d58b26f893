/** The gateway as a subgraph of Apollo Federation. */
import type { Open } from '../../gateway/extension.ts';
import { subgraphOf } from './subgraph.ts';

interface FederationSettings {
  /** Whether routers may query the schema. */
  readonly tellsSchema: boolean;
}

export const open: Open<FederationSettings> = (settings) => ({
  schema: (schema) => subgraphOf(schema, settings),
});
