/**
 * Apollo Server with a RESTDataSource, as its documentation shows.
 *
 * No DataLoader: a RESTDataSource returns the same GET of one request once, and shows it in its docs.
 */
import { readFileSync } from 'node:fs';
import { RESTDataSource } from '@apollo/datasource-rest';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';

const { PORT, UPSTREAM_URL } = process.env;

class ContentPagesAPI extends RESTDataSource {
  baseURL = `${UPSTREAM_URL}/v0/`;

  constructor({ apiKey, cache }) {
    super({ cache });
    this.apiKey = apiKey;
  }

  willSendRequest(_path, request) {
    request.headers['x-api-key'] = this.apiKey;
  }

  getPage = (id) => this.get(`pages/${encodeURIComponent(id)}`);
  getAudiences = (id, limit) => this.list(`pages/${encodeURIComponent(id)}/audiences`, limit);
  getPerson = (id) => this.get(`persons/${encodeURIComponent(id)}`);
  getPersons = (limit) => this.list('persons', limit);
  getLogs = (id, limit) => this.list(`persons/${encodeURIComponent(id)}/logs`, limit);
  getAccounts = (limit) => this.list('accounts', limit);
  getActivity = (id, limit) => this.list(`accounts/${encodeURIComponent(id)}/activity`, limit);

  async list(path, limit) {
    const { items, hasMore, totalCount } = await this.get(path, { params: { limit } });
    return { nodes: items, totalCount, pageInfo: { hasNextPage: hasMore } };
  }
}

const personOf = ({ personId }, _args, { api }) => personId && api.getPerson(personId);

const server = new ApolloServer({
  typeDefs: readFileSync(new URL('schema.graphql', import.meta.url), 'utf8'),
  resolvers: {
    Query: {
      page: (_root, { pageId }, { api }) => api.getPage(pageId),
      persons: (_root, { first }, { api }) => api.getPersons(first),
      accounts: (_root, { first }, { api }) => api.getAccounts(first),
    },
    Page: { audiences: ({ pageId }, { first }, { api }) => api.getAudiences(pageId, first) },
    Audience: { person: personOf },
    Person: { logs: ({ personId }, { first }, { api }) => api.getLogs(personId, first) },
    Account: { activity: ({ accountId }, { first }, { api }) => api.getActivity(accountId, first) },
    ActivityItem: { person: personOf },
  },
});

await startStandaloneServer(server, {
  listen: { host: '127.0.0.1', port: Number(PORT) },
  context: async ({ req }) => ({
    api: new ContentPagesAPI({ apiKey: req.headers['x-api-key'], cache: server.cache }),
  }),
});
