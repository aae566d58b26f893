/** `person` and `persons`. */
import { builder } from '../../graph/builder.ts';
import { connectionType } from '../../graph/connection-type.ts';
import { lookupField } from '../../graph/fields.ts';
import { listField } from '../../graph/list-field.ts';
import { routes } from '../../v0/routes.ts';
import { personEntity, PersonRef } from './person.entity.ts';

export const PersonConnectionRef = connectionType(PersonRef, personEntity);

builder.queryFields((t) => ({
  person: lookupField(t, personEntity, 'A person by its REST id; null when there is none.'),
  persons: listField(t, {
    type: PersonConnectionRef,
    description: 'All persons.',
    from: 'key',
    route: routes.listPersons,
    items: personEntity,
    input: () => ({}),
  }),
}));
