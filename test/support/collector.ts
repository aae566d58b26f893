/** A collector that decodes the traces that it receives. */
import { createRequire } from 'node:module';
import { afterFile } from './after-file.ts';

export interface DecodedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly traceState: string;
  /** Trace flags of W3C Trace Context. */
  readonly flags: number;
  readonly name: string;
  readonly kind: string;
  readonly tookMs: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly events: readonly { readonly name: string }[];
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  readonly status: string;
}

const { MockOtlpServer } = createRequire(import.meta.url)('@elastic/mockotlpserver') as {
  MockOtlpServer: new (options: object) => {
    start(): Promise<void>;
    close(): Promise<void>;
    readonly httpUrl: URL;
  };
};

/** Elastic's decoder of OTLP, which shares no code with the exporter. */
export async function openDecoder() {
  const spans: DecodedSpan[] = [];
  const texts: string[] = [];
  const server = new MockOtlpServer({
    ...{ logLevel: 'fatal', services: ['http'], httpHostname: '127.0.0.1', httpPort: 0 },
    onTrace: (trace: any) => {
      texts.push(JSON.stringify(trace));
      for (const resource of trace.resourceSpans) {
        for (const scope of resource.scopeSpans) spans.push(...scope.spans.map(spanOf));
      }
    },
  });
  await server.start();
  afterFile(() => server.close());
  return { url: server.httpUrl.href.replace(/\/$/, ''), spans, texts };
}

const hex = (id: unknown): string =>
  typeof id === 'string' ? id : Buffer.from(id as Uint8Array).toString('hex');

function spanOf(span: any): DecodedSpan {
  const { name, kind, events = [], links = [], status, attributes = [] } = span;
  const parent = span.parentSpanId ? hex(span.parentSpanId) : '';
  return {
    ...{ name, events, traceId: hex(span.traceId), spanId: hex(span.spanId) },
    ...(parent !== '' && { parentSpanId: parent }),
    kind: String(kind),
    traceState: String(span.traceState ?? ''),
    flags: Number(span.flags ?? 0) & 0xff,
    tookMs: Number(BigInt(span.endTimeUnixNano) - BigInt(span.startTimeUnixNano)) / 1e6,
    links: links.map((link: any) => ({ traceId: hex(link.traceId), spanId: hex(link.spanId) })),
    status: String(status?.code ?? ''),
    attributes: Object.fromEntries(
      attributes.map(({ key, value }: any) => [key, Object.values(value)[0]]),
    ),
  };
}
