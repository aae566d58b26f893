/**
 * The GraphQL type of persons.
 *
 * Source: interface.md, "Person".
 */
import { nodeType } from '../../graph/types/node-type.ts';
import { restFields } from '../../graph/types/rest-fields.ts';
import { Person } from '../../v0/person.ts';
import { personEntity } from './person.entity.ts';

nodeType(personEntity, {
  description: 'A person, for whom audiences can be made and about whom logs are kept.',
  fields: (t) =>
    restFields(t, Person, {
      personId: 'Raw id of this person in the REST API.',
      name: 'Full name.',
      email: 'E-mail address. Null when unknown.',
      domain:
        'Internet domain of the organisation, by which `account` is looked up. Null when unknown.',
      slug: 'URL slug of the person.',
      phoneNumber: 'Phone number. Null when unknown.',
      linkedinProfileUrl: 'URL of the LinkedIn profile. Null when unknown.',
      createdAt: 'Time of creation.',
      updatedAt: 'Time of the last change.',
    }),
});
