/**
 * Names of headers that must not be forwarded or exposed: they would break a call, or be wrong.
 */
import { ConfigError } from '../../gateway/settings/setting.ts';

/** Names of headers, and why they must not be forwarded or exposed. */
type Rule = readonly [names: RegExp, why: string];

/** Source: RFC 9110, "Connection"; RFC 9113, "Connection-Specific Header Fields". */
const HOP_BY_HOP: Rule = [
  /^(?:connection|keep-alive|proxy-connection|proxy-authenticate|proxy-authorization|te|trailer|transfer-encoding|upgrade|http2-settings|expect)$/,
  'it is a hop-by-hop header',
];

const SET_ON_CALLS = 'the gateway sets it on each call';

const NOT_FORWARDED: readonly Rule[] = [
  HOP_BY_HOP,
  [/^x-api-key$/, 'the API key is always forwarded'],
  [/^(?:host|accept|accept-encoding|x-request-id|set-cookie)$/, SET_ON_CALLS],
  [/^if-|^range$/, 'it would make responses conditional or partial'],
  [/^content-|^trace(?:parent|state)$|^baggage$/, 'it describes the request to the gateway'],
];

const SET_ON_RESPONSES = 'the gateway sets it on each response';

const NOT_EXPOSED: readonly Rule[] = [
  HOP_BY_HOP,
  [/^x-api-key$/, 'it may contain the API key of the deployment'],
  [/^set-cookie2?$/, 'cookies are not supported'],
  [/^content-|^location$|^accept-ranges$/, 'it describes a single REST response'],
  [
    /^(?:x-request-id|server-timing|retry-after|etag|last-modified|cache-control|expires|age|date|vary|x-accel-.*|access-control-.*)$/,
    SET_ON_RESPONSES,
  ],
];

interface HeaderNames {
  readonly forward: readonly string[];
  readonly expose: readonly string[];
}

/**
 * @param own names of headers of extensions.
 * @throws {ConfigError} for the first forbidden name.
 */
export function checkHeaders({ forward, expose }: HeaderNames, own: readonly string[]): void {
  const check = (
    setting: string,
    names: readonly string[],
    rules: readonly Rule[],
    isSet: string,
  ) => {
    for (const name of names) {
      const rule = rules.find(([forbidden]) => forbidden.test(name));
      const why = rule?.[1] ?? (own.includes(name) ? isSet : undefined);
      if (why === undefined) continue;
      throw new ConfigError(`${setting} must not contain ${name}: ${why}. Remove it.`);
    }
  };
  check('FORWARD_HEADERS', forward, NOT_FORWARDED, SET_ON_CALLS);
  check('EXPOSE_HEADERS', expose, NOT_EXPOSED, SET_ON_RESPONSES);
}
