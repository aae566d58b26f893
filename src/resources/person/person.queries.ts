/** `person` and `persons`. */
import { builder } from '../../graph/types/builder.ts';
import { connectionType } from '../../graph/connection/connection-type.ts';
import { lookupField } from '../../graph/entity/reference-field.ts';
import { listField } from '../../graph/connection/list-field.ts';
import { routes } from '../../v0/routes.ts';
import { personEntity, PersonRef } from './person.entity.ts';

export const PersonConnectionRef = connectionType(PersonRef, personEntity);

builder.queryFields((t) => ({
  person: lookupField(t, personEntity, 'Fetches a person by id. Null when there is none.'),
  persons: listField(t, {
    type: PersonConnectionRef,
    description: 'Paginated list of persons.',
    from: 'key',
    route: routes.listPersons,
    items: personEntity,
    input: () => ({}),
  }),
}));
