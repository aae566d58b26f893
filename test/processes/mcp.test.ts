/** The process of `npm start` with MCP_DOCUMENTS, asked by the official MCP client. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { hasNginx, openNginx } from '../support/nginx.ts';
import { openGateway } from '../support/open-gateway.ts';

const FIND_PAGES =
  '# Finds pages.\nquery FindPages($query: String!) { searchPages(query: $query) { name } }';
const folder = openFolder({ 'agents.json': { FindPages: FIND_PAGES } });

const start = (settings: Readonly<Record<string, string>> = {}) =>
  openGateway({ process: { MCP_DOCUMENTS: folder, ...settings } });

/** The official client, which checks each response of a tool against the tool's schema, by Ajv. */
async function connect(url: string, onAnswer: (answer: Response) => void = () => {}) {
  const client = new Client({ name: 'test', version: '1' });
  onTestFinished(() => client.close());
  const transport = new StreamableHTTPClientTransport(new URL(url), {
    requestInit: { headers: { 'x-api-key': 'demo' } },
    fetch: async (...asked) => {
      const answer = await fetch(...asked);
      onAnswer(answer);
      return answer;
    },
  });
  await client.connect(transport);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['FindPages']);
  expect(tools[0]!.outputSchema).toBeDefined();
  return client;
}

async function expectPages(client: Client): Promise<void> {
  const answer = await client.callTool({ name: 'FindPages', arguments: { query: 'northwind' } });
  expect(JSON.stringify(answer.structuredContent)).toMatch(/northwind/i);
}

it('serves the documents of MCP_DOCUMENTS as tools', async () => {
  const gateway = await start();

  await expectPages(await connect(`${gateway.url}/mcp`));
});

it('serves tools below BASE_PATH', async () => {
  const gateway = await start({ BASE_PATH: '/api' });

  await expectPages(await connect(new URL('/api/mcp', gateway.url).href));
});

it.runIf(hasNginx)('serves one agent from three replicas in turn, without a session', async () => {
  const replicas = await Promise.all([start(), start(), start()]);
  const [first, ...others] = replicas.map(({ url }) => new URL(url).host);
  const url = await openNginx(
    `http://${first}`,
    (port, host) => `upstream replicas { server ${[host, ...others].join('; server ')}; }
      server { listen 127.0.0.1:${port}; location / {
        proxy_pass http://replicas; proxy_set_header Host $host; add_header x-replica $upstream_addr always; } }`,
  );
  const answeredBy = new Map<string, number>();
  const client = await connect(`${url}/mcp`, ({ headers, status }) => {
    expect(status).toBeLessThan(400);
    const replica = headers.get('x-replica') ?? '';
    answeredBy.set(replica, (answeredBy.get(replica) ?? 0) + 1);
  });

  for (let i = 0; i < 6; i++) await expectPages(client);

  expect([...answeredBy.keys()].toSorted()).toEqual([first, ...others].toSorted());
});
