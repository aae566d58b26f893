/** `audience`. */
import { builder } from '../../graph/types/builder.ts';
import { lookupField } from '../../graph/entity/reference-field.ts';
import { audienceEntity } from './audience.entity.ts';

builder.queryField('audience', (t) =>
  lookupField(
    t,
    audienceEntity,
    'Fetches an audience by its id and that of its page. Null when there is none.',
  ),
);
