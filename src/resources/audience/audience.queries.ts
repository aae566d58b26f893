/** `audience`. */
import { builder } from '../../graph/types/builder.ts';
import { lookupField } from '../../graph/entity/reference-field.ts';
import { audienceEntity } from './audience.entity.ts';

builder.queryField('audience', (t) =>
  lookupField(t, audienceEntity, 'An audience by its REST ids; null when there is none.'),
);
