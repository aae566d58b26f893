/** `audienceVersion`. */
import { builder } from '../../graph/types/builder.ts';
import { lookupField } from '../../graph/entity/reference-field.ts';
import { audienceVersionEntity } from './audience-version.entity.ts';

builder.queryField('audienceVersion', (t) =>
  lookupField(
    t,
    audienceVersionEntity,
    'A version of an audience by its REST ids; null when there is none.',
  ),
);
