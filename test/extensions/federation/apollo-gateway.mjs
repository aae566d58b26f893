/**
 * Apollo's gateway for Node over HTTP, started by `node apollo-gateway.mjs PORT SUPERGRAPH`, where SUPERGRAPH is the
 * file of the composed schema.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import process from 'node:process';
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { parse } from 'graphql';

const [port, file] = process.argv.slice(2);

const gateway = new ApolloGateway({
  supergraphSdl: readFileSync(file, 'utf8'),
  buildService: ({ url }) =>
    new RemoteGraphQLDataSource({
      url,
      willSendRequest: ({ request, context: { apiKey } }) => {
        if (apiKey) request.http.headers.set('x-api-key', apiKey);
      },
    }),
});
const { executor } = await gateway.load();

const server = createServer(async (request, response) => {
  const { searchParams } = new URL(request.url, 'http://localhost');
  let body = '';
  for await (const chunk of request) body += chunk;
  const sent = body ? JSON.parse(body) : { query: searchParams.get('query') };
  const result = await executor({
    request: sent,
    document: parse(sent.query),
    operationName: sent.operationName ?? null,
    queryHash: createHash('sha256').update(sent.query).digest('hex'),
    context: { apiKey: request.headers['x-api-key'] },
    // Records the paths of errors for reports of usage.
    metrics: {},
  });
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify(result));
});
server.listen(Number(port), '127.0.0.1');
