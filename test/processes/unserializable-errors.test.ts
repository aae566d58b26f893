/** Errors that cannot be logged as they are: whatever a plugin throws or rejects with is a line, and the service continues. */
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openFolder } from '../support/folder.ts';
import { startGateway } from '../support/gateway-process.ts';
import { until } from '../support/until.ts';

const THROWN = `({
  frozen: () => Object.freeze(new Error('of frozen')),
  getter: () => Object.defineProperty(new Error('of getter'), 'status', { enumerable: true, get() { throw new Error('no'); } }),
  proxy: () => new Proxy(new Error('of proxy'), { get(error, name) { if (name === 'message') throw new Error('no'); return Reflect.get(error, name); } }),
  toJson: () => Object.assign(new Error('of toJson'), { toJSON() { throw new Error('no'); } }),
  chain: () => Array.from({ length: 3000 }).reduce((cause) => new Error('of chain', { cause }), undefined),
  request: () => Object.assign(new Error('of request'), { code: 'E401', request: { _header: 'x-api-key: secret' } }),
  nothing: () => undefined,
})`;

const PLUGIN = `
const thrown = ${THROWN};
const nameOf = ({ document }) => document.definitions[0].name.value;
export default [{
  onExecute({ args }) {
    const [kind, how] = nameOf(args).split('_');
    if (how === 'thrown') throw thrown[kind]();
    Promise.reject(thrown[kind]());
  },
}];`;

const KINDS = ['frozen', 'getter', 'proxy', 'toJson', 'chain', 'request', 'nothing'];

it('errors of any form are logged with their cause and request, in lines of bounded length and without objects in them', async () => {
  const PLUGINS = join(openFolder({ 'plugin.mjs': PLUGIN }), 'plugin.mjs');
  const gateway = await startGateway({ PLUGINS });
  const lines = () => gateway.output.split('\n').filter((line) => line.includes('"level":"error"'));

  for (const kind of KINDS) {
    const reply = await gateway.ask(`query ${kind}_thrown { __typename }`);
    expect(reply.codes, kind).toEqual(['INTERNAL_SERVER_ERROR']);
    const { data } = await gateway.ask(`query ${kind}_rejected { __typename }`);
    expect(data, kind).toEqual({ __typename: 'Query' });
  }
  await until(() => expect(lines()).toHaveLength(2 * KINDS.length));

  for (const kind of KINDS.slice(0, -1)) {
    const ofKind = lines().filter((line) => line.includes(`of ${kind}`));
    expect(ofKind, kind).toHaveLength(2);
    expect(ofKind[0]).toContain(`"operationName":"${kind}_thrown"`);
  }
  expect(Math.max(...lines().map(({ length }) => length))).toBeLessThan(20_000);
  expect(gateway.output).toContain('"code":"E401"');
  expect(gateway.output).not.toContain('secret');
  expect(await gateway.metric('gateway_requests_in_flight')).toBe(0);
});
