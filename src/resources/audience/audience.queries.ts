/** `audience` and `audienceVersion`. */
import { builder } from '../../graph/types/builder.ts';
import { lookupField } from '../../graph/entity/reference-field.ts';
import { audienceEntity } from './audience.entity.ts';
import { audienceVersionEntity } from './audience-version.entity.ts';

builder.queryFields((t) => ({
  audience: lookupField(
    t,
    audienceEntity,
    'Fetches an audience by its id and that of its page. Null when there is none.',
  ),
  audienceVersion: lookupField(
    t,
    audienceVersionEntity,
    'Fetches a version of an audience by its id and those of its audience and page. Null when there is none.',
  ),
}));
