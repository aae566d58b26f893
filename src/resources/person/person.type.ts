/**
 * The type of persons. Source: interface.md, "Person".
 */
import { Entity } from '../../graph/entity/entity.ts';
import { builder } from '../../graph/schema/builder.ts';
import { restType } from '../../graph/schema/rest-type.ts';
import { Person } from '../../v0/schemas/person.ts';
import { routes } from '../../v0/routes.ts';

export const personEntity = new Entity({
  ref: builder.objectRef<Person>('Person'),
  key: ['personId'],
  route: routes.getPerson,
});

restType(personEntity, Person, {
  description: 'A person, who can have audiences and log entries.',
  fields: {
    domain: 'Internet domain of the organisation, used to look up `account`. Null if unknown.',
  },
});
