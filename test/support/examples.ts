/**
 * Runs the examples of the documentation against a gateway, and compares its responses with those of
 * the page.
 *
 * A GraphQL document is executed with the key of the sample data. Behind its language stand its
 * variables as JSON, in which `page(pageId: 'p1')` means the global id of that page.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { GatewayProcess } from './gateway-process.ts';
import { ROOT, type Block } from './pages.ts';

/** The address in the pages, which is that of a gateway without settings. */
const DOCUMENTED_URL = 'http://127.0.0.1:4000';
const SAMPLE = { apiKey: 'demo' };

export const isExample = ({ language, info }: Block): boolean =>
  language === 'graphql' || info === 'run' || info === 'run document';

export const isWrite = ({ text }: Block): boolean => text.startsWith('mutation');

/** Fails if the example fails, or if its output is not that of the block after it. */
export async function tryExample(gateway: GatewayProcess, block: Block): Promise<void> {
  const found =
    block.language === 'graphql' ? await execute(gateway, block) : await print(gateway, block);
  const { answer } = block;
  if (!answer) return;
  if (answer.language === 'json') expect(JSON.parse(found)).toEqual(readAnswer(answer.text));
  else expect(found.trimEnd()).toBe(answer.text);
}

/** JSON in which `"…"` stands for any value. */
const readAnswer = (text: string): unknown =>
  JSON.parse(text, (_name, value: unknown) => (value === '…' ? expect.anything() : value));

/** Executes an example, which must find its objects and have no errors. */
async function execute(gateway: GatewayProcess, { text, info }: Block): Promise<string> {
  const variables = await readVariables(gateway, info || '{}');
  if (text.startsWith('subscription')) {
    const event = await firstEvent(gateway, { query: text, variables });
    expect(event).toMatch(/^event: next\ndata: \{"data":\{"\w+":\{/m);
    expect(event).not.toContain('"errors"');
    return event;
  }
  const reply = await gateway.ask(text, { variables, ...SAMPLE });
  const values: any[] = Object.values(reply.data);
  expect(reply.errors).toEqual([]);
  expect(values.flat()).not.toContain(null);
  expect(values.flatMap((value) => value.userErrors ?? [])).toEqual([]);
  return reply.text;
}

/** The first event of a subscription, which may have no end. */
async function firstEvent({ url }: GatewayProcess, body: object): Promise<string> {
  const leaving = new AbortController();
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'x-api-key': SAMPLE.apiKey,
    },
    body: JSON.stringify(body),
    signal: leaving.signal,
  });
  let text = '';
  const decoder = new TextDecoder();
  const reader = response.body!.getReader();
  while (!(text.includes('data:') && text.endsWith('\n\n'))) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  leaving.abort();
  return text;
}

async function readVariables(gateway: GatewayProcess, json: string): Promise<unknown> {
  const lookups = [...json.matchAll(/"(\w+\(.+?\))"/g)];
  let text = json;
  for (const [quoted, lookup] of lookups) {
    const { data } = await gateway.ask(`{ it: ${lookup!.replaceAll("'", '"')} { id } }`, SAMPLE);
    text = text.replace(quoted, JSON.stringify(data.it.id));
  }
  return JSON.parse(text);
}

/** The output of a command or a snippet at the root, with the gateway's address instead of the documented one. */
async function print(gateway: GatewayProcess, { place, language, text }: Block): Promise<string> {
  const source = text.replaceAll(DOCUMENTED_URL, gateway.url);
  if (language === 'sh') return run('bash', ['-c', source]);
  if (language === 'js') return run(process.execPath, ['--input-type=module', '-e', source]);
  const folder = join(ROOT, 'node_modules/.cache/docs');
  const file = join(folder, `${place.replace(/\W+/g, '-')}.mts`);
  mkdirSync(folder, { recursive: true });
  // A frontend has `src/client` next to its own files.
  writeFileSync(file, source.replaceAll("'./client/", `'${ROOT}src/client/`));
  return run(process.execPath, ['--import', 'tsx', file]);
}

async function run(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (written.stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (written.stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number];
  expect(code, written.stderr).toBe(0);
  return written.stdout;
}
