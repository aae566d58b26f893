/** Reports to GraphQL Hive, as an endpoint gets them that checks what Hive's own checks. */
import type { IncomingHttpHeaders, RequestListener, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  getOperationAST,
  parse,
  type GraphQLEnumType,
  type OperationDefinitionNode,
} from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { ServerContext } from '../../src/operation/gateway-plugin.ts';
import { createRecord } from '../../src/operation/request/request-record.ts';
import { schema } from '../../src/schema.ts';
import { Hive, type HiveOptions } from '../../src/usage/hive/hive.ts';
import { hiveOperationOf } from '../../src/usage/hive/hive-operation.ts';
import { openHttp } from '../support/listen.ts';
import { freePort } from '../support/free-port.ts';
import { IDS, SAMPLE_NODES } from '../support/ids.ts';
import { openGateway } from '../support/open-gateway.ts';
import { slowness } from '../support/slowness.ts';
import { openTrusting } from '../support/trusting.ts';
import { until } from '../support/until.ts';

const Client = z.strictObject({ name: z.string(), version: z.string() });
const LINE = {
  timestamp: z.int().min(1e12),
  operationMapKey: z.string(),
  metadata: z.strictObject({ client: Client }).nullish(),
};
/** Source: https://the-guild.dev/graphql/hive/docs/api-reference/usage-reports */
const Report = z.strictObject({
  size: z.int().min(0),
  map: z.record(
    z.string(),
    z.strictObject({
      operation: z.string(),
      operationName: z.string().nullish(),
      fields: z.array(z.string()).min(1),
    }),
  ),
  operations: z
    .array(
      z.strictObject({
        ...LINE,
        execution: z.strictObject({
          ok: z.boolean(),
          duration: z.int().min(0),
          errorsTotal: z.int().min(0).max(65_535),
        }),
      }),
    )
    .optional(),
  subscriptionOperations: z.array(z.strictObject(LINE)).optional(),
});
type Report = z.infer<typeof Report>;

const TOKEN = 'token-of-a-target';

/** @param answer to each report. */
async function openHive(
  answer: (response: ServerResponse) => void = (response) => response.end('{}'),
) {
  const reports: Report[] = [];
  const bodies: string[] = [];
  const heads: IncomingHttpHeaders[] = [];
  const refused: [why: string, lost: number][] = [];
  const listener: RequestListener = (request, response) => {
    void text(request).then((body) => {
      heads.push(request.headers);
      bodies.push(body);
      reports.push(Report.parse(JSON.parse(body)));
      answer(response);
    });
  };
  const endpoint = await openHttp(listener);
  const open = (options: Partial<HiveOptions> = {}) => {
    const hive = new Hive({
      ...{ token: TOKEN, endpoint, version: '1.2.3', everyMs: 3_600_000 },
      onRefused: (why, lost) => refused.push([why, lost]),
      ...options,
    });
    onTestFinished(() => hive.close());
    return hive;
  };
  return { open, reports, bodies, heads, refused };
}

const PAGE = 'query Page($id: ID!) { page(pageId: $id) { name } }';
const TOPICS = '{ topics(first: 3) { nodes { title } } }';

/** Executed and answered, without a request. */
function execute(hive: Hive, times: number, text = TOPICS): void {
  const document = parse(text);
  for (let i = 0; i < times; i++) {
    const record = { ...createRecord(null), operation: getOperationAST(document)! };
    const context = { record } as ServerContext;
    void hive.plugin.onExecute!({ args: { schema, document }, context } as never); // what the plugin reads of them
    hive.plugin.onAnswered!({ status: 200, outcome: 'ok', durationMs: 0 }, context);
  }
}

describe('a report to Hive', () => {
  it('has each operation with its document, duration, errors and app', async () => {
    const { open, reports, heads } = await openHive();
    const hive = open();
    const manifests = { 'ios-4.2.json': { topics: `query Topics ${TOPICS}` } };
    const site = await openTrusting(manifests, { plugins: [hive.plugin] });
    const beganMs = Date.now();
    await site.byId('topics');
    await site.byId('topics', { 'x-api-key': 'unknown' });
    await site.ask(PAGE, { variables: { id: IDS.page } });

    await hive.close();

    const [report] = reports as [Report];
    expect(report.size).toBe(3);
    const inOrder = Object.values(report.map).map((one) => ({
      ...one,
      fields: one.fields.toSorted(),
    }));
    expect(inOrder).toEqual([
      {
        operation: 'query Topics{topics(first:0){nodes{title}}}',
        operationName: 'Topics',
        fields: [
          ...['Int', 'Query.topics', 'Query.topics.first', 'Query.topics.first!'],
          ...['Topic.title', 'TopicConnection.nodes'],
        ],
      },
      {
        operation: 'query Page($id:ID!){page(pageId:$id){name}}',
        operationName: 'Page',
        fields: ['ID', 'Page.name', 'Query.page', 'Query.page.pageId'],
      },
    ]);
    const client = { name: 'ios', version: '4.2' };
    expect(report.operations).toMatchObject([
      { metadata: { client }, execution: { ok: true, errorsTotal: 0 } },
      { metadata: { client }, execution: { ok: false, errorsTotal: 1 } },
      { metadata: null, execution: { ok: true, errorsTotal: 0 } },
    ]);
    for (const { timestamp, execution } of report.operations!) {
      expect(timestamp).toBeGreaterThanOrEqual(beganMs);
      expect(execution.duration).toBeGreaterThan(10_000); // nanoseconds
    }
    expect(heads[0]).toMatchObject({
      ...{ authorization: `Bearer ${TOKEN}`, 'x-usage-api-version': '2' },
      ...{ 'content-type': 'application/json', 'user-agent': 'content-pages-gateway/1.2.3' },
    });
  });

  it('has no variable, literal, alias or key', async () => {
    const { open, bodies } = await openHive();
    const hive = open();
    const site = await openGateway({ plugins: [hive.plugin] });
    await site.ask(
      'query Mine($id: ID! = "secret-1") { secret2: page(pageId: $id) { name } topic(topicId: """secret-3""") { title } }',
      { variables: { id: 'secret-4' } },
    );

    await hive.close();

    expect(bodies[0]).toContain('query Mine');
    expect(bodies[0]).not.toMatch(/secret|demo/);
  });

  it('has nothing of what was not executed, or asked for nothing of the schema', async () => {
    const { open, reports } = await openHive();
    const hive = open();
    const site = await openGateway({ plugins: [hive.plugin] });
    await site.ask('{ nonsense }');
    await site.ask('{ __typename }');
    await site.ask('{ __schema { queryType { name } } }');

    await hive.close();

    expect(reports).toEqual([]);
  });

  it('has subscriptions apart, which have no duration', async () => {
    const { open, reports } = await openHive();
    const hive = open();
    const site = await openGateway({ plugins: [hive.plugin] });
    const [version] = SAMPLE_NODES.slice(2);
    await site.ask(`subscription { audienceVersionProgress(id: "${version}") { isFinal } }`, {
      headers: { accept: 'text/event-stream' },
    });

    await hive.close();

    expect(reports).toMatchObject([{ size: 1, operations: [] }]);
    expect(reports[0]!.subscriptionOperations).toHaveLength(1);
  });

  it('names what is used as a whole where a variable or a selected enum may be any of it', () => {
    const document = parse(
      'mutation M($input: UpdateTopicInput!) { updateTopic(input: $input) { topic { title } } } query Q { pageLinks(first: 1) { nodes { page { pageType } } } }',
    );
    const [mutation, query] = document.definitions as readonly OperationDefinitionNode[];
    const fieldsOf = (operation?: OperationDefinitionNode) =>
      hiveOperationOf(schema, document, operation!).fields;

    expect(fieldsOf(mutation)).toEqual(
      expect.arrayContaining(['UpdateTopicInput.id', 'UpdateTopicInput.title', 'String']),
    );
    expect(fieldsOf(mutation)).not.toContain('Query.pageLinks');
    const values = (schema.getType('PageType') as GraphQLEnumType).getValues();
    expect(fieldsOf(query)).toEqual(
      expect.arrayContaining(values.map(({ name }) => `PageType.${name}`)),
    );
  });
});

describe('while Hive does not take reports', () => {
  it('one is sent again until it is taken, and what came since after it', async () => {
    let answers = 0;
    const { open, reports, bodies, refused } = await openHive((response) => {
      response.writeHead(answers++ < 2 ? 503 : 200).end();
    });
    const hive = open({ everyMs: 50 });
    execute(hive, 3);
    await until(() => answers > 0);
    execute(hive, 2);
    await until(() => reports.length === 4);

    expect(reports.map(({ size }) => size)).toEqual([3, 3, 3, 2]);
    expect(new Set(bodies.slice(0, 3)).size).toBe(1);
    expect(refused).toEqual([['status 503', 0]]);
  });

  it('one that is refused is given up at once, and the operator is told', async () => {
    const { open, reports, refused } = await openHive((response) => {
      response.writeHead(401).end('Bearer');
    });
    const hive = open();
    execute(hive, 3);
    await hive.close();

    expect(reports).toHaveLength(1);
    expect(refused).toEqual([['status 401', 3]]);
  });

  it('requests are answered as ever, and the end takes two seconds', async () => {
    const { open, reports } = await openHive((_response) => {});
    const hive = open();
    const site = await openGateway({ plugins: [hive.plugin] });
    execute(hive, 2_001); // begins a report, which hangs
    await until(() => reports.length === 1);

    const { status, tookMs } = await site.ask(TOPICS);
    const beganMs = performance.now();
    await hive.close();

    expect(status).toBe(200);
    expect(tookMs / slowness()).toBeLessThan(1_000);
    expect((performance.now() - beganMs) / slowness()).toBeLessThan(2_500);
  });

  it('a port where nobody listens is named, without the token', async () => {
    const { open, refused } = await openHive();
    const hive = open({ endpoint: `http://127.0.0.1:${await freePort()}/usage` });
    execute(hive, 1);
    await hive.close();

    expect(refused).toEqual([['ECONNREFUSED', 0]]);
  });

  it('a slow one is told where executions were lost meanwhile', async () => {
    const held: ServerResponse[] = [];
    const { open, refused } = await openHive((response) => void held.push(response));
    const hive = open();
    execute(hive, 2_001);
    await until(() => held.length === 1);
    execute(hive, 5_000);
    held[0]!.end();
    await until(() => refused.length > 0);

    expect(refused).toEqual([['too slow', 1_000]]);
  });

  it('what waits is bounded, and the rest is counted as lost', async () => {
    let isTaken = false;
    const held: ServerResponse[] = [];
    const { open, reports, refused } = await openHive((response) => {
      if (isTaken) response.end();
      else held.push(response);
    });
    const hive = open();
    execute(hive, 2_001);
    await until(() => held.length === 1);
    execute(hive, 5_000);
    isTaken = true;
    held[0]!.writeHead(413).end();
    await hive.close();

    expect(reports.map(({ size }) => size)).toEqual([2_001, 4_000]);
    expect(refused).toEqual([['status 413', 1_000 + 2_001]]);
  });
});
