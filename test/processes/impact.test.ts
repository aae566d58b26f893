/** `npm run impact`: what apps lose without a route or a field, and what a version of an app needs. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { buildScript } from '../support/gateway-build.ts';
import { ROOT } from '../support/pages.ts';

const run = promisify(execFile);

const PAGE =
  'query Screen($id: ID!) { page(pageId: $id) { name audiences { nodes { person { name } } } } }';
const TWO =
  'query Two($id: ID!) { page(pageId: $id) { title } person(personId: $id) { label: name } }';

/** The cells of its output. */
async function impact(...args: string[]): Promise<string[][]> {
  const folder = openFolder({ 'ios-4.2.json': { one: PAGE, two: TWO }, 'web.json': { two: TWO } });
  const script = await buildScript('print-impact');
  const { stdout } = await run(process.execPath, [script, ...args, folder], { cwd: ROOT });
  return stdout
    .trim()
    .split('\n')
    .map((line) => line.split(/ {2,}/));
}

describe('impact', { timeout: 60_000 }, () => {
  it('lists the fields of a route, and what each document of an app version loses while it fails', async () => {
    expect(await impact('GET /v0/persons/{person_id}')).toEqual([
      [
        'While GET /v0/persons/{person_id} fails. Fields: ActivityItem.person, Audience.person, PersonLog.person, Query.person.',
      ],
      ['app', 'version', 'document', 'loses', 'as'],
      ['ios', '4.2', 'Screen', 'page.audiences.nodes.person', 'null, and an error'],
      ['ios', '4.2', 'Two', 'person', 'null, and an error'],
      ['web', 'other', 'Two', 'person', 'null, and an error'],
    ]);
  });

  it('shows how far the null of a field reaches', async () => {
    const [, , ...rows] = await impact('Page.name');
    expect(rows).toEqual([['ios', '4.2', 'Screen', 'page', 'the whole screen']]);
    const [, , ...persons] = await impact('Person.name');
    expect(persons).toEqual([
      ['ios', '4.2', 'Screen', 'page.audiences.nodes.person', 'null, and an error'],
      ['ios', '4.2', 'Two', 'person', 'null, and an error'],
      ['web', 'other', 'Two', 'person', 'null, and an error'],
    ]);
  });

  it('lists the routes and fields that the documents of a version need', async () => {
    expect(await impact('web')).toEqual([
      ['What web loses without each route.'],
      ['document', 'route', 'loses', 'as'],
      ['Two', 'GET /v0/pages/{page_id}', 'page', 'null, and an error'],
      ['Two', 'GET /v0/persons/{person_id}', 'person', 'null, and an error'],
      [
        'Fields, arguments and values: Page.title, Person.name, Query.page, Query.page(pageId:), Query.person, Query.person(personId:).',
      ],
    ]);
  });

  it('suggests a name for an unknown field, version or route', async () => {
    await expect(impact('Page.nmae')).rejects.toThrow(/a version of an app: ios-4.2, web\./);
    await expect(impact('Page.nmae')).rejects.toThrow(/was Page\.name meant\?/);
    await expect(impact('ios-4.3')).rejects.toThrow(/was ios-4\.2 meant\?/);
    await expect(impact('GET /v0/person/{person_id}')).rejects.toThrow(/was GET \/v0\/persons\//);
  });

  it('refuses a missing folder and an unknown option', async () => {
    await expect(impact('Page.name', '/nowhere')).rejects.toThrow(/\/nowhere/);
    await expect(impact('Page.name', '--usgae=usage.json')).rejects.toThrow(/--usgae/);
  });
});
