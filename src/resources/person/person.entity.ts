/** The person, and the route that reads one by its key. */
import { builder } from '../../graph/types/builder.ts';
import { Entity } from '../../graph/entity/entity.ts';
import type { Person } from '../../v0/person.ts';
import { routes } from '../../v0/routes.ts';

export const PersonRef = builder.objectRef<Person>('Person');

export const personEntity = new Entity({
  ref: PersonRef,
  key: ['personId'],
  route: routes.getPerson,
});
