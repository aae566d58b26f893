/** Agents before the process that `npm start` starts: MCP_DOCUMENTS switches their tools on. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { afterFile } from '../support/after-file.ts';
import { openGateway } from '../support/open-gateway.ts';

it('serves the documents of MCP_DOCUMENTS as tools', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'agents-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true }));
  const text =
    '# Finds pages.\nquery FindPages($query: String!) { searchPages(query: $query) { name } }';
  writeFileSync(join(folder, 'agents.json'), JSON.stringify({ FindPages: text }));
  const gateway = await openGateway({ process: { MCP_DOCUMENTS: folder } });
  const client = new Client({ name: 'test', version: '1' });
  const transport = new StreamableHTTPClientTransport(new URL(`${gateway.url}/mcp`), {
    requestInit: { headers: { 'x-api-key': 'demo' } },
  });

  await client.connect(transport);
  const { tools } = await client.listTools();
  const answer = await client.callTool({ name: 'FindPages', arguments: { query: 'northwind' } });
  await client.close();

  expect(tools.map(({ name }) => name)).toEqual(['FindPages']);
  expect(JSON.stringify(answer.structuredContent)).toMatch(/northwind/i);
});
