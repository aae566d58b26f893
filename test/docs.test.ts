/**
 * The documentation is true: examples are run, and links, settings, codes and names are looked up.
 *
 * Examples run against the product as a user starts it, over its sample data.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import {
  type GraphQLEnumType,
  buildSchema,
  isInterfaceType,
  isObjectType,
  parse,
  validate,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { readConfig } from '../src/app/config.ts';
import { routes } from '../src/v0/routes.ts';
import { LAYERS } from './support/layers.ts';
import { isExample, isWrite, tryExample } from './support/examples.ts';
import { startGateway, type GatewayProcess } from './support/gateway-process.ts';
import { readPages, ROOT, type Block, type Page } from './support/pages.ts';

const pages = readPages();
const blocks = pages.flatMap((page) => page.blocks);
const shellLines = blocks
  .filter(({ language }) => language === 'sh')
  .flatMap(({ text }) => text.split('\n'));
const schema = buildSchema(readFileSync(join(ROOT, 'schema.graphql'), 'utf8'));
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
const settings = readSettings();
/** Variables of the plugins that docs/ has, which the gateway does not read. */
const ofPlugins = filesOf('docs/plugins', '.mjs').flatMap((file) =>
  [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\{([^}]*)\} = process\.env/g)].flatMap(
    ([, names]) => names!.match(/[A-Z_]{3,}/g) ?? [],
  ),
);
const codes = readCodes();
const WITHDRAWN = 'docs/decisions/withdrawn.md';

const pageNamed = (file: string): Page => pages.find((page) => page.file === file)!;

/** Every word in backticks for which `isWrong` holds, with its page. */
const wrongWords = (isWrong: (word: string) => boolean): string[] =>
  pages.flatMap(({ file, words }) => words.filter(isWrong).map((word) => `${file}: ${word}`));

let gateway: GatewayProcess;
/** For examples that are about a backend with the document's routes only. */
let documentGateway: GatewayProcess;
beforeAll(async () => {
  [gateway, documentGateway] = await Promise.all([
    startGateway({}),
    startGateway({ BACKEND_ROUTES: 'document' }),
  ]);
});
afterAll(() => Promise.all([gateway.stop(), documentGateway.stop()]));

describe('examples', () => {
  const examples = blocks.filter(isExample);

  it('in GraphQL are valid documents', () => {
    const documents = blocks.filter(({ language }) => language === 'graphql');

    const faults = documents.flatMap(({ place, text }) =>
      validate(schema, parse(text)).map(({ message }) => `${place}: ${message}`),
    );

    expect(documents.length).toBeGreaterThan(5);
    expect(faults).toEqual([]);
  });

  // Mutations last, since they change the responses of others.
  it.each([...examples.filter((block) => !isWrite(block)), ...examples.filter(isWrite)])(
    'work as the page says: $place',
    (block) => tryExample(block.info === 'run document' ? documentGateway : gateway, block),
  );

  it('that show code are all run by a test', () => {
    // `file`: test/adding-a-resource.test.ts; `playwright`: test/browser/replay.test.ts; `compose`:
    // test/extensions/federation/composers.test.ts; `plugin`: test/gateway/adding-a-plugin.test.ts.
    const isRun = (block: Block) =>
      isExample(block) || /^(?:(?:answer|compose|plugin)$|file |playwright )/.test(block.info);
    const ofCode = blocks.filter(({ language }) =>
      /^(?:diff|gql|graphql|js|ts|tsx)$/.test(language),
    );

    expect(ofCode.filter((block) => !isRun(block)).map(({ place }) => place)).toEqual([]);
  });

  it('that send a request to /graphql are all run', () => {
    const asking = blocks.filter(({ text, info }) => text.includes('/graphql') && info === '');

    expect(asking.map(({ place }) => place)).toEqual([]);
  });

  it('precede each response that is shown', () => {
    const answers = blocks.filter(({ info }) => info === 'answer');

    expect(examples.filter(({ answer }) => answer)).toHaveLength(answers.length);
  });

  it('in JSON can be parsed', () => {
    const json = blocks.filter(({ language }) => language === 'json');

    expect(json.length).toBeGreaterThan(5);
    for (const { text } of json) expect(() => JSON.parse(text)).not.toThrow();
  });
});

describe('commands', () => {
  it('are scripts of package.json or npm’s own', () => {
    const OWN = ['ci', 'create', 'install', 'audit', 'sbom', 'pack'];
    const texts = [...shellLines, ...pages.flatMap(({ words }) => words)];

    const named = texts.flatMap((text) => [...text.matchAll(/\bnpm (?:run )?([a-z:]+)/g)]);

    expect(named.length).toBeGreaterThan(10);
    expect(
      named.filter(([, name]) => !OWN.includes(name!) && !(name! in scripts)).map(([text]) => text),
    ).toEqual([]);
  });

  it('set existing settings to allowed values', () => {
    // Tests have their own variables.
    const ofGateway = shellLines.filter((line) => !line.includes('vitest'));
    const assignments = ofGateway.flatMap((line) => [
      ...line.matchAll(/(?<=^|\s)([A-Z][A-Z_]+)=(\S+)/g),
    ]);

    expect(assignments.length).toBeGreaterThan(0);
    for (const [, name, value] of assignments) {
      if (ofPlugins.includes(name!) || name!.startsWith('OTEL_')) continue;
      expect(settings).toContain(name);
      // A folder of an app that a page makes, which test/browser/own-documents.test.ts follows.
      if (value!.startsWith('../app/')) continue;
      expect(() => readConfig({ [name!]: value })).not.toThrow();
    }
  });

  it('start main.js as `npm start` does', () => {
    const ofUnits = blocks
      .filter(({ language }) => language === 'ini')
      .flatMap(({ text }) => text.split('\n'))
      .map((line) => line.replace('ExecStart=/usr/bin/', ''));
    const starts = [...shellLines, ...ofUnits].filter((line) => /^node .*main\.js/.test(line));

    expect(starts.length).toBeGreaterThan(1);
    // That of a server runs in dist/.
    for (const line of starts)
      expect(scripts.start.replace('dist/', '')).toBe(`exec ${line.replace('dist/', '')}`);
  });
});

describe('links', () => {
  it('lead to existing pages and headings', () => {
    const broken = pages.flatMap(({ file, links }) =>
      links.filter((link) => !isThere(targetOf(file, link))).map((link) => `${file}: ${link}`),
    );

    expect(broken).toEqual([]);
  });

  it('lead from the README to every page', () => {
    const reached = new Set(['README.md']);
    for (const file of reached) {
      for (const link of pageNamed(file).links) {
        const target = targetOf(file, link).file;
        if (pageNamed(target)) reached.add(target);
      }
    }

    expect(pages.map(({ file }) => file).filter((file) => !reached.has(file))).toEqual([]);
  });

  it('and paths in code name existing files', () => {
    const paths = [...shellLines, ...pages.flatMap(({ words }) => words)].flatMap(
      (text) => text.match(/(?<![\w./-])(?:src|test|docs)\/[\w./-]*/g) ?? [],
    );

    // Files of an app that a page writes: `tsx apollo src/App.tsx`.
    const ofApps = blocks.map(({ info }) => info.split(' ')[1]);

    const isThere = (path: string) => existsSync(join(ROOT, path)) || ofApps.includes(path);
    expect(paths.filter((path) => !isThere(path))).toEqual([]);
  });

  interface Target {
    readonly file: string;
    readonly anchor: string | undefined;
  }

  function targetOf(from: string, link: string): Target {
    const [path, anchor] = link.split('#');
    return { file: path ? normalize(join(dirname(from), path)) : from, anchor };
  }

  function isThere({ file, anchor }: Target): boolean {
    if (!existsSync(join(ROOT, file))) return false;
    return anchor === undefined || pageNamed(file).anchors.has(anchor);
  }
});

describe('settings', () => {
  it('are all in docs/settings.md, each once', () => {
    const { rows } = pageNamed('docs/settings.md');
    const names = rows.flatMap(({ cells }) => /^`([A-Z][A-Z_]+)`$/.exec(cells[0]!)?.[1] ?? []);

    expect(names.sort()).toEqual([...settings].sort());
  });

  it('are listed there as `npm run settings` prints them', () => {
    const [command = '', ...given] = scripts.settings.split(' ');
    const printed = execFileSync(join(ROOT, 'node_modules/.bin', command), given, { cwd: ROOT });

    const page = readFileSync(join(ROOT, 'docs/settings.md'), 'utf8');
    expect(page).toContain(printed.toString());
  });
});

describe('codes', () => {
  it('of errors have a heading each in docs/errors.md, and no others do', async () => {
    const { prose } = pageNamed('docs/errors.md');
    const documented = [...prose.matchAll(/^### ([A-Z_]+)$/gm)].map(([, code]) => code!);
    const refused = ['{', '{ nothing }', 'query A { __typename } query B { __typename }'];

    // What every GraphQL server rejects.
    const replies = await Promise.all(refused.map((source) => gateway.ask(source)));

    const found = replies.flatMap((reply) => reply.codes);
    expect(new Set(found).size).toBe(refused.length);
    expect(documented.sort()).toEqual([...new Set([...codes, ...found])].sort());
  });

  it('and settings are the only words in capitals, except for well-known ones', () => {
    // The last ones are Redis'.
    const OTHERS =
      'GET POST JSON SIGTERM SIGINT CHROMIUM_PATH NODE_EXTRA_CA_CERTS NODE_OPTIONS EADDRINUSE ENOSPC EDQUOT EIO PROPAGATE NULL ABORT HALT READONLY MASTERDOWN LOADING NOREPLICAS MISCONF OOM'.split(
        ' ',
      );
    const inErrors = [...pageNamed('docs/errors.md').anchors].map((anchor) => anchor.toUpperCase());
    const ofForms = (schema.getType('UserErrorCode') as GraphQLEnumType)
      .getValues()
      .map(({ name }) => name);
    const isUnknown = (word: string): boolean => {
      const name = /^([A-Z][A-Z_]{2,})(?:=.*)?$/.exec(word)?.[1];
      return (
        name !== undefined &&
        // OpenTelemetry's, which its libraries read.
        !name.startsWith('OTEL_') &&
        ![...settings, ...ofPlugins, ...inErrors, ...ofForms, ...OTHERS].includes(name)
      );
    };

    // The page of withdrawn decisions names settings that were removed.
    const unknown = wrongWords(isUnknown).filter((word) => !word.startsWith(WITHDRAWN));
    expect(unknown).toEqual([]);
  });
});

describe('names', () => {
  it('of types and fields are the schema’s', () => {
    const isWrong = (word: string): boolean => {
      const [, name, field] = /^([A-Z]\w+)\.(\w+)/.exec(word) ?? [];
      const type = schema.getType(name ?? '');
      if (!isObjectType(type) && !isInterfaceType(type)) return false;
      return !(field! in type.getFields());
    };

    expect(wrongWords(isWrong)).toEqual([]);
  });

  it('of arguments are the schema’s', () => {
    const queries = schema.getQueryType()!.getFields();
    const isWrong = (word: string): boolean => {
      const [, name, list] = /^(\w+)\(((?:\w+:,? ?)+)\)$/.exec(word) ?? [];
      if (name === undefined) return false;
      const field = queries[name];
      const known = field?.args.map((argument) => argument.name) ?? [];
      return list!.match(/\w+/g)!.some((argument) => !known.includes(argument));
    };

    expect(wrongWords(isWrong)).toEqual([]);
  });

  it('of REST routes are the route table’s', () => {
    const known = Object.values(routes).map(({ method, path }) => `${method} ${path}`);
    const isWrong = (word: string): boolean =>
      /^(?:GET|POST|PATCH|DELETE) \/v0\//.test(word) && !known.includes(word);

    expect(wrongWords(isWrong)).toEqual([]);
  });

  it('of metrics are exactly those at /metrics', async () => {
    const documented = pageNamed('docs/metrics.md').words.filter((word) =>
      /^gateway_\w+$/.test(word),
    );

    const { text } = await gateway.get('/metrics');

    const counted = [...text.matchAll(/^# TYPE (gateway_\w+) /gm)].map(([, name]) => name);
    // Metrics that only `REDIS_URL` and `READ_AHEAD` add, which this gateway does not set.
    const others = [
      'gateway_reads_ahead_total',
      'gateway_shared_state_available',
      'gateway_shared_state_commands_total',
    ];
    expect([...new Set(documented)].sort()).toEqual([...counted, ...others].sort());
  });

  it('of alerts are those of rules.yaml, with their severity and duration', () => {
    const { groups } = parseYaml(
      readFileSync(join(ROOT, 'deploy/observability/rules.yaml'), 'utf8'),
    );
    const documented = pageNamed('docs/metrics.md')
      .rows.filter(({ heading, cells }) => heading === 'Alerts' && cells[0]!.startsWith('`'))
      .map(({ cells: [name, severity, , lasting] }) => [name, severity, lasting]);

    const alerts = groups
      .flatMap(({ rules }: { rules: any[] }) => rules)
      .filter(({ alert }: any) => alert)
      .map(({ alert, labels, for: lasting = '–' }: any) => [
        `\`${alert}\``,
        labels.severity,
        lasting.replace('m', ' min').replace('h', ' h'),
      ]);

    expect(documented.sort()).toEqual(alerts.sort());
  });

  it('of endpoints are served', async () => {
    const paths = pageNamed('docs/http-api.md')
      .rows.filter(({ heading }) => heading === 'Endpoints')
      .flatMap(({ cells }) => /^`(\/\w+)`$/.exec(cells[0]!)?.[1] ?? []);

    const replies = await Promise.all(paths.map((path) => gateway.get(path)));

    expect(paths).toContain('/graphql');
    expect(replies.map(({ status }) => status)).not.toContain(404);
  });

  it('of layers are those of the architecture’s test, in their order', () => {
    const documented = pageNamed('docs/architecture.md')
      .rows.filter(({ heading, cells }) => heading === 'Layers' && cells[0]!.startsWith('`'))
      .map(({ cells: [name] }) => name!.replaceAll('`', ''));

    expect(documented).toEqual(LAYERS);
  });

  it('of numbered tests are exactly those of test/', () => {
    const tests = filesOf('test', '.test.ts').flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bT([1-9]\d*)\b/g)].map(([, n]) =>
        Number(n),
      ),
    );

    const named = pageNamed('docs/failures.md').prose.matchAll(/\bT(\d+)(?:–T(\d+))?/g);

    const documented = [...named].flatMap(([, first, last = first]) =>
      Array.from({ length: Number(last) - Number(first) + 1 }, (_, i) => Number(first) + i),
    );
    expect([...new Set(documented)].sort(byValue)).toEqual([...new Set(tests)].sort(byValue));
  });

  const byValue = (a: number, b: number): number => a - b;
});

describe('decisions', () => {
  const decisions = pages.filter(({ file }) => /^docs\/decisions\/(?!README)/.test(file));

  it('have a context, a decision and consequences', () => {
    const taken = decisions.filter(({ file }) => file !== WITHDRAWN);

    const parts = taken.map(({ file, prose }) => [
      file,
      ...(prose.match(/^\*\*\w+\.\*\*/gm) ?? []),
    ]);

    expect(parts).toEqual(
      taken.map(({ file }) => [file, '**Context.**', '**Decision.**', '**Consequences.**']),
    );
  });

  it('are listed by their titles', () => {
    const listed = pageNamed('docs/decisions/README.md').prose.match(/^- .+$/gm)!;

    const titles = decisions.map(({ file, prose }) => {
      const title = /^# (.+)$/m.exec(prose)![1]!;
      return `- [${title}](${file.replace('docs/decisions/', '')})`;
    });

    expect([...listed].sort()).toEqual(titles.sort());
  });
});

/** The variables that the gateway reads. */
function readSettings(): ReadonlySet<string> {
  const names = new Set<string>();
  const env = new Proxy(
    {},
    {
      get: (_env, name) => {
        names.add(String(name));
        return undefined;
      },
    },
  );
  readConfig(env);
  return names;
}

/** The codes in the sources: members of unions of codes, and what is written as a code. */
function readCodes(): ReadonlySet<string> {
  const found = filesOf('src', '.ts')
    // Codes of user errors are described in the schema.
    .filter((file) => !/^src\/(?:backend|client)\/|\/user-errors\.ts$/.test(file))
    .flatMap((file) => {
      const text = readFileSync(join(ROOT, file), 'utf8');
      const unions = [...text.matchAll(/\btype \w*Code =([^;]+);/g)].map(([, union]) => union!);
      return [
        ...unions.flatMap((union) => [...union.matchAll(/'([A-Z_]+)'/g)]),
        ...text.matchAll(/\b(?:code|\d{3}): '([A-Z_]+)'/g),
      ].map(([, code]) => code!);
    });
  if (found.length < 20) throw new Error('The codes are no longer written as they were.');
  return new Set(found);
}

function filesOf(folder: string, end: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(end))
    .map((file) => join(folder, file));
}
