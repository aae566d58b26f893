/**
 * The other subgraph of the tests: reviews of pages, and mentions of one object of each type of the gateway. Started
 * by `node reviews.mjs KEYS OBJECTS`, in its own process, because its libraries bring a copy of graphql.
 *
 * KEYS is the kind of key by which it knows the gateway's objects, `id` or `raw`; OBJECTS is the JSON of these keys,
 * by their types: the global id and the raw ids.
 */
import console from 'node:console';
import { createServer } from 'node:http';
import process from 'node:process';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { graphql, parse } from 'graphql';

const [keys, text] = process.argv.slice(2);
const objects = JSON.parse(text);

/** The fields of a type's key. */
const keyOf = (type) =>
  keys === 'id' ? ['id'] : Object.keys(objects[type][0]).filter((name) => name !== 'id');
const fieldName = (type) => type[0].toLowerCase() + type.slice(1);

const stubs = Object.keys(objects).map((type) => {
  const fields = keyOf(type).map((name) => `${name}: ID!`);
  if (type === 'Page') fields.push('reviews: [Review!]!');
  return `type ${type} @key(fields: "${keyOf(type).join(' ')}") { ${fields.join(' ')} }`;
});

const typeDefs = `
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
  type Query {
    reviews(first: Int = 10): ReviewConnection!
    mention: Mention!
  }
  type ReviewConnection { nodes: [Review!]! pageInfo: PageInfo! }
  type PageInfo @shareable {
    hasNextPage: Boolean!
    hasPreviousPage: Boolean!
    startCursor: String
    endCursor: String
  }
  type Review @key(fields: "reviewId") { reviewId: ID! stars: Int! page: Page }
  type Mention { ${Object.keys(objects)
    .map((type) => `${fieldName(type)}: ${type}`)
    .join(' ')} }
  ${stubs.join('\n')}`;

const pages = objects.Page;
const reviewOf = (page, i) => ({ reviewId: `review_${i}`, stars: 1 + (i % 5), page });
const sameAs = (one) => (other) => keyOf('Page').every((name) => one[name] === other[name]);

const schema = buildSubgraphSchema({
  typeDefs: parse(typeDefs),
  resolvers: {
    Query: {
      // Each page has several reviews, which follow each other page by page.
      reviews: (_root, { first }) => ({
        nodes: Array.from({ length: first }, (_, i) => reviewOf(pages[i % pages.length], i)),
        pageInfo: { hasNextPage: false, hasPreviousPage: false },
      }),
      mention: () => ({}),
    },
    Mention: Object.fromEntries(
      Object.keys(objects).map((type) => [fieldName(type), () => objects[type][0]]),
    ),
    Page: {
      __resolveReference: (reference) => reference,
      reviews: (page) => {
        const i = pages.findIndex(sameAs(page));
        return i < 0 ? [] : [reviewOf(pages[i], i), reviewOf(pages[i], i + pages.length)];
      },
    },
  },
});

const server = createServer(async (request, response) => {
  let body = '';
  for await (const chunk of request) body += chunk;
  const { query, variables, operationName } = JSON.parse(body);
  const result = await graphql({ schema, source: query, variableValues: variables, operationName });
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(result));
});
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));
