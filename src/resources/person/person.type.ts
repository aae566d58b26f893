/**
 * Persons as the graph shows them.
 *
 * Source: interface.md, "Person".
 */
import { nodeType } from '../../graph/types/node-type.ts';
import { personEntity } from './person.entity.ts';

nodeType(personEntity, {
  description: 'A person, whom audiences are made for and logs are kept about.',
  fields: (t) => ({
    personId: t.exposeID('personId', { description: 'The id REST knows this person by.' }),
    name: t.exposeString('name', { description: 'The full name.' }),
    email: t.exposeString('email', { nullable: true, description: 'The e-mail address.' }),
    domain: t.exposeString('domain', {
      nullable: true,
      description: 'The domain of the account the person belongs to.',
    }),
    slug: t.exposeString('slug', { description: 'The name as it stands in addresses.' }),
    phoneNumber: t.exposeString('phoneNumber', {
      nullable: true,
      description: 'The phone number.',
    }),
    linkedinProfileUrl: t.exposeString('linkedinProfileUrl', {
      nullable: true,
      description: 'The LinkedIn profile, as a URL.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});
