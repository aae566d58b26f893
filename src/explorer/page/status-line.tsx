/**
 * What HTTP says of the last answer: status, time, bytes, errors by code, and its headers.
 */
import { useExchange, type Exchange } from '../exchange/exchange.ts';

export function StatusLine() {
  const exchange = useExchange();
  return (
    <div className="status-line" role="status" aria-live="polite">
      {exchange && <Status exchange={exchange} />}
    </div>
  );
}

function Status({ exchange }: { exchange: Exchange }) {
  const { status, durationMs, timing, bodyBytes, headers, results, failure } = exchange;
  if (status === undefined) return <strong className="failed">{failure}</strong>;
  const wireBytes = timing?.wireBytes || bodyBytes;
  return (
    <>
      <strong className={status < 400 ? '' : 'failed'}>HTTP {status}</strong>
      <span>{Math.round(durationMs)} ms</span>
      <span>
        {bytes(wireBytes)}
        {wireBytes !== bodyBytes && `, ${bytes(bodyBytes)} unpacked`}
      </span>
      {results > 1 && <span>{results} results</span>}
      {failure && <span className="failed">{failure}</span>}
      {errorsByCode(exchange).map(({ code, count, retryAfterMs }) => (
        <span key={code} className="failed">
          {count} × {code}
          {retryAfterMs !== undefined && `, again in ${Math.ceil(retryAfterMs / 1_000)} s`}
        </span>
      ))}
      <details>
        <summary>Headers</summary>
        <dl>
          {headers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}

interface CountedErrors {
  readonly code: string;
  readonly count: number;
  readonly retryAfterMs: number | undefined;
}

function errorsByCode({ result }: Exchange): CountedErrors[] {
  const counts = new Map<string, { count: number; retryAfterMs: number | undefined }>();
  for (const { extensions } of result?.errors ?? []) {
    const { code: given } = extensions ?? {};
    const code = typeof given === 'string' ? given : 'without a code';
    const known = counts.get(code);
    const wait = extensions?.['retryAfterMs'];
    counts.set(code, {
      count: (known?.count ?? 0) + 1,
      retryAfterMs:
        typeof wait === 'number' ? Math.max(wait, known?.retryAfterMs ?? 0) : known?.retryAfterMs,
    });
  }
  return [...counts].map(([code, counted]) => ({ code, ...counted }));
}

const bytes = (count: number): string =>
  count < 1_000 ? `${count} bytes` : `${(count / 1_000).toFixed(1)} kB`;
