/**
 * Warnings of unknown variables that are probably misspelt settings.
 */
import { closest, distance } from 'fastest-levenshtein';

/** Prefixes that other programs are unlikely to use. */
const OWN_PREFIX = /^(?:UPSTREAM|BACKEND)_/;

/** Variables that Kubernetes sets for services. */
const OF_A_SERVICE = /_SERVICE_(?:HOST|PORT)|_PORT(?:_\d+_(?:TCP|UDP).*)?$/;

/** Returns a warning for each unknown variable similar to a setting. */
export function misspelt(given: readonly string[], known: readonly string[]): string[] {
  return given.flatMap((name) => {
    if (known.includes(name) || OF_A_SERVICE.test(name)) return [];
    const meant = closest(name.toUpperCase(), known);
    if (isNear(name, meant)) return [`${name} is not a setting: was ${meant} meant?`];
    return OWN_PREFIX.test(name) ? [`${name} is not a setting: it has no effect.`] : [];
  });
}

/** Whether two names differ by one edit, or by two for long names. */
function isNear(name: string, known: string): boolean {
  // Short names are similar to many variables of other programs.
  if (known.length < 5 && name.length <= known.length) return false;
  return distance(name.toUpperCase(), known) <= (known.length < 10 ? 1 : 2);
}
