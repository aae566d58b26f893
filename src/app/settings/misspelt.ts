/**
 * Unknown variables that are probably misspelt settings.
 */
import { closest, distance } from 'fastest-levenshtein';

/** Prefixes that other programs are unlikely to use. */
const OWN_PREFIX = /^(?:UPSTREAM|BACKEND)_/;

/** Variables that Kubernetes sets for services. */
const OF_A_SERVICE = /_SERVICE_(?:HOST|PORT)|_PORT(?:_\d+_(?:TCP|UDP).*)?$/;

/** Names of other programs that differ from settings in nothing but their case. */
const OF_OTHERS = new Set(['http_proxy', 'https_proxy', 'no_proxy']);

interface UnknownName {
  readonly warning: string;
  /** Whether it is definitely a misspelt setting: similar to one that is not set. */
  readonly isMisspelt: boolean;
}

/** Returns the unknown variables that are similar to settings, or have a prefix of theirs. */
export function unknownNames(given: readonly string[], known: readonly string[]): UnknownName[] {
  return given.flatMap((name) => {
    if (known.includes(name) || OF_A_SERVICE.test(name)) return [];
    const similar = closest(name.toUpperCase(), known);
    if (isNear(name, similar)) {
      const isMisspelt = !given.includes(similar) && !OF_OTHERS.has(name);
      return [{ warning: `${name} is not a setting. Did you mean ${similar}?`, isMisspelt }];
    }
    if (!OWN_PREFIX.test(name)) return [];
    return [{ warning: `${name} is not a setting and has no effect.`, isMisspelt: false }];
  });
}

/** Whether two names differ by one edit, or by two for long names. */
function isNear(name: string, known: string): boolean {
  // Short names are similar to many variables of other programs.
  if (known.length < 5 && name.length <= known.length) return false;
  return distance(name.toUpperCase(), known) <= (known.length < 10 ? 1 : 2);
}
