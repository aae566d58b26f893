/** `audienceVersion`. */
import { builder } from '../../graph/types/builder.ts';
import { lookupField } from '../../graph/entity/reference-field.ts';
import { audienceVersionEntity } from './audience-version.entity.ts';

builder.queryField('audienceVersion', (t) =>
  lookupField(
    t,
    audienceVersionEntity,
    'Fetches a version of an audience by its id and those of its audience and page. Null when there is none.',
  ),
);
