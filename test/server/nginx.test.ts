/** Answers through nginx as Debian installs it, and through one that compresses itself. */
import { describe, expect, it } from 'vitest';
import { held } from '../support/faults.ts';
import { IDS } from '../support/ids.ts';
import { hasNginx, openNginx, passing } from '../support/nginx.ts';
import { world } from '../support/world.ts';
import { openFaultySite, openSite, POST_JSON, shareBackend } from './support.ts';

shareBackend();

const QUERY = `{ page(pageId: "${IDS.page}") { name audiences(first: 20) { nodes { id audienceId effectiveName status createdAt } } } }`;

/** What Debian's nginx.conf says of compression. */
const DEBIAN = 'gzip on;';

/** A proxy that keeps coding to itself, which makes strong tags weak. */
const COMPRESSING = `gzip on; gzip_proxied any; gzip_types application/json application/graphql-response+json;
  proxy_set_header Accept-Encoding "";`;

const get = (url: string, headers: Record<string, string> = {}) =>
  fetch(`${url}/graphql?query=${encodeURIComponent(QUERY)}`, {
    headers: { 'x-api-key': 'demo', 'accept-encoding': 'gzip', ...headers },
  });

describe.skipIf(!hasNginx)('behind nginx', () => {
  it.each([
    ['as Debian installs it', DEBIAN, /^"/],
    ['that compresses itself', COMPRESSING, /^W\/"/],
  ])('%s, answers are compressed, and 304 by their tags', async (_, settings, tagForm) => {
    const site = await openSite({ timeoutMs: 5_000 });
    const url = await openNginx(site.url, passing(settings));

    const first = await get(url);
    const tag = first.headers.get('etag')!;
    const same = await get(url, { 'if-none-match': tag });
    const other = await get(url, { 'if-none-match': tag, 'x-api-key': 'demo-two' });

    expect(first.headers.get('content-encoding')).toBe('gzip');
    expect((await first.json()).data.page.name).toBe('Northwind launch');
    expect(tag).toMatch(tagForm);
    expect(same.status).toBe(304);
    expect(same.headers.get('cache-control')).toBe('private, no-cache');
    expect(other.status).not.toBe(304);
  });

  it('POSTs are answered in the coding that was asked for', async () => {
    const site = await openSite({ timeoutMs: 5_000 });
    const url = await openNginx(site.url, passing(DEBIAN));

    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: {
        'x-api-key': 'demo',
        'content-type': 'application/json',
        'accept-encoding': 'br',
      },
      body: JSON.stringify({ query: QUERY }),
    });

    expect(response.headers.get('content-encoding')).toBe('br');
    expect((await response.json()).data.page.name).toBe('Northwind launch');
  });

  it('passes each part of an answer on at once', async () => {
    const { upstream, site } = await openFaultySite();
    const late = held(world());
    upstream.on('GET /v0/pages/p/audiences', late.behaviour);
    const front = await openNginx(site.url, passing('gzip on; gzip_types *;'));

    const response = await fetch(`${front}/graphql`, {
      method: 'POST',
      headers: {
        ...{ 'x-api-key': 'key', ...POST_JSON },
        accept: 'multipart/mixed;incrementalSpec=v0.2, application/json;q=0.9',
      },
      body: JSON.stringify({
        query: '{ page(pageId: "p") { name ... @defer { audiences { totalCount } } } }',
      }),
    });
    const reader = response.body!.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    late.release();
    let rest = '';
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      rest += new TextDecoder().decode(read.value);
    }

    expect(first).toContain('"name":"name"');
    expect(first).not.toContain('audiences":');
    expect(rest).toContain('"totalCount"');
  });
});
