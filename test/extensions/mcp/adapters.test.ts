/**
 * Agents built with frameworks, whose adapters convert the tools at `/mcp` for models. The adapters are installed by
 * `npm ci` in this folder, apart from the product; otherwise these tests are skipped.
 */
import { describe, expect, it, onTestFinished } from 'vitest';
import { createMcp } from '../../../src/extensions/mcp/mcp.extension.ts';
import { EXAMPLE_API_KEY } from '../../../src/backend/seed/example.ts';
import { openFolder } from '../../support/folder.ts';
import { IDS } from '../../support/ids.ts';
import { openGateway } from '../../support/open-gateway.ts';
import { packagesOf } from '../../support/packages.ts';

const packages = packagesOf(import.meta.url);

const ADD_AUDIENCE = `
"Adds an audience to a page."
mutation AddAudience(
  $pageId: ID!
  "Whether to publish it immediately."
  $behavior: PublishBehavior
  $name: String
) {
  createAudience(input: { pageId: $pageId, publishBehavior: $behavior, customName: $name }) {
    audience { customName status }
    userErrors { message }
  }
}`;

const open = () =>
  openGateway({
    fresh: true,
    http: { allowedHosts: ['127.0.0.1'] },
    extensions: [
      {
        routes: (core) => ({
          '/mcp': createMcp(
            openFolder({ 'agents.json': { AddAudience: ADD_AUDIENCE } }),
            '1',
            core,
          ),
        }),
      },
    ],
  });

describe.runIf(packages)('LangChain', () => {
  /** The tool, as its adapter gives it to a model. */
  async function adapted(): Promise<any> {
    const { url } = await open();
    const { MultiServerMCPClient } = packages!('@langchain/mcp-adapters');
    const headers = { 'x-api-key': EXAMPLE_API_KEY };
    const client = new MultiServerMCPClient({
      mcpServers: { content: { transport: 'http', url: `${url}/mcp`, headers } },
    });
    onTestFinished(() => client.close());
    const [tool] = await client.getTools();
    return tool;
  }

  it('shows a model the type, enum and description of a nullable argument', async () => {
    const { schema, description } = await adapted();

    expect(description).toMatch(/^Adds an audience to a page\.\n\nCosts /);
    expect(schema.properties).toMatchObject({
      pageId: { type: 'string' },
      behavior: {
        type: ['string', 'null'],
        enum: ['draft', 'publish', null],
        description: 'Whether to publish it immediately.',
      },
      name: { type: ['string', 'null'] },
    });
  });

  it.each([
    ['with them', { behavior: 'draft', name: 'By an agent' }, 'By an agent'],
    ['with null', { behavior: null, name: null }, null],
    ['without them', {}, null],
  ])('calls a tool that has nullable arguments %s', async (_how, given, customName) => {
    const tool = await adapted();

    const { text } = await tool.invoke({ pageId: IDS.page, ...given });

    const { createAudience } = JSON.parse(text);
    expect(createAudience).toMatchObject({ audience: { customName }, userErrors: [] });
  });
});
