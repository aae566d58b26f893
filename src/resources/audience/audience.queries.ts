/** `audience` and `audienceVersion`. */
import { builder } from '../../graph/types/builder.ts';
import { lookupField } from '../../graph/entity/reference-field.ts';
import { audienceEntity } from './audience.entity.ts';
import { audienceVersionEntity } from './audience-version.entity.ts';

builder.queryFields((t) => ({
  audience: lookupField(t, audienceEntity, 'An audience by its REST ids; null when there is none.'),
  audienceVersion: lookupField(
    t,
    audienceVersionEntity,
    'A version of an audience by its REST ids; null when there is none.',
  ),
}));
