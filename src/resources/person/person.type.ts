/**
 * The GraphQL type of persons.
 *
 * Source: interface.md, "Person".
 */
import { nodeType } from '../../graph/types/node-type.ts';
import { personEntity } from './person.entity.ts';

nodeType(personEntity, {
  description: 'A person, for whom audiences can be made and about whom logs are kept.',
  fields: (t) => ({
    personId: t.exposeID('personId', { description: 'Raw id of this person in the REST API.' }),
    name: t.exposeString('name', { description: 'Full name.' }),
    email: t.exposeString('email', {
      nullable: true,
      description: 'E-mail address. Null when unknown.',
    }),
    domain: t.exposeString('domain', {
      nullable: true,
      description:
        'Internet domain of the organisation, by which `account` is looked up. Null when unknown.',
    }),
    slug: t.exposeString('slug', { description: 'URL slug of the person.' }),
    phoneNumber: t.exposeString('phoneNumber', {
      nullable: true,
      description: 'Phone number. Null when unknown.',
    }),
    linkedinProfileUrl: t.exposeString('linkedinProfileUrl', {
      nullable: true,
      description: 'URL of the LinkedIn profile. Null when unknown.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Time of creation.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'Time of the last change.' }),
  }),
});
