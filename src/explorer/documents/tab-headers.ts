/**
 * The headers of each tab over a reload, in session storage; credentials are left out.
 */
import { applyEdits, modify } from 'jsonc-parser';
import { session } from '../storage.ts';
import { objectIn } from './jsonc.ts';

const NAME = 'content-pages:headers';
const CREDENTIAL = /auth|cookie|credential|key|password|secret|session|token/i;

export interface KeptHeaders {
  /** JSON with comments, as it was written. */
  readonly headers: string;
  /** The names of those that were left out. */
  readonly left: readonly string[];
}

interface Tab {
  readonly id: string;
  readonly headers?: string | null;
}

/** Headers of tabs that were not yet in view since the page was loaded. */
const waiting = new Map<string, KeptHeaders>(readKept());

/** Returns once the headers that a tab had before the reload; undefined where it had none. */
export function takeHeaders(tab: string): KeptHeaders | undefined {
  const kept = waiting.get(tab);
  waiting.delete(tab);
  return kept;
}

export function keepHeaders(tabs: readonly Tab[]): void {
  const kept = tabs.flatMap(({ id, headers }): [string, KeptHeaders][] => {
    const one = headers?.trim() ? withoutCredentials(headers) : waiting.get(id);
    return one ? [[id, one]] : [];
  });
  session.set(NAME, JSON.stringify(kept));
}

export function withoutCredentials(headers: string): KeptHeaders {
  const left = Object.keys(objectIn(headers)).filter((name) => CREDENTIAL.test(name));
  const kept = left.reduce(
    (text, name) => applyEdits(text, modify(text, [name], undefined, {})),
    headers,
  );
  return { headers: kept, left };
}

function readKept(): [string, KeptHeaders][] {
  try {
    return JSON.parse(session.get(NAME) ?? '[]') as [string, KeptHeaders][];
  } catch {
    return [];
  }
}
