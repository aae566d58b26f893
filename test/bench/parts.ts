/** The parts of which a request's cost is told: files of ours by what they do, packages of a peer by name. */

export interface Payer {
  readonly part: string;
}

/** The first that fits. */
const PARTS: readonly (readonly [RegExp, string])[] = [
  [/\/src\/(process|server\/http)\//, 'HTTP in'],
  [/\/src\/operation\/result\/(answer|negotiation|result-stream)\./, 'write'],
  [/\/src\/documents\/|\/src\/execution\/operation\/|\/src\/plan\//, 'parse and plan lookup'],
  [/\/src\/(server|operation|observe)\//, 'lane and plugins'],
  [/\/src\/execution\//, 'executor'],
  [/\/src\/graph\/entity\/lookahead\.|\/src\/graph\/entity\/(demand|selection)\./, 'look-ahead'],
  [/\/src\/(graph|resources)\//, 'loader, list and connection'],
  [/\/src\/rest\/decode\/contract-check\./, 'contract check'],
  [/\/src\/rest\/decode\//, 'decode'],
  [/\/src\/rest\/transport\//, 'undici'],
  [/\/src\/rest\/rest-call\./, 'call'],
  [/\/src\/rest\/resilience\//, 'policies of calls'],
  [/\/src\/(rest|lib)\//, 'client'],
  [/\/node_modules\/undici\//, 'undici'],
  [/\/node_modules\/dataloader\//, 'loader, list and connection'],
  [/\/dist\/profiled\/.*|\/src\//, 'the rest of ours'],
];

/** Of packages that the gateway uses inside a part. */
const PACKAGES: Readonly<Record<string, string>> = {
  'graphql-yoga': 'lane and plugins',
  '@envelop/core': 'lane and plugins',
  '@whatwg-node/promise-helpers': 'lane and plugins',
  '@whatwg-node/server': 'lane and plugins',
  'lru-cache': 'parse and plan lookup',
};

/**
 * @param url of a source file.
 * @returns undefined for what is Node's own.
 */
export function partOf(url: string): string | undefined {
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url) ?? [];
  const known = name !== undefined ? PACKAGES[name] : undefined;
  if (known) return known;
  const [, part] = PARTS.find(([pattern]) => pattern.test(url)) ?? [];
  return part ?? name ?? (url.startsWith('file:') ? 'resolvers' : undefined);
}
