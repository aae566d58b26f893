/**
 * Unknown variables that are probably misspelt settings.
 */
import { closest, distance } from 'fastest-levenshtein';
import { ConfigError, type EnvironmentVariables } from '../../gateway/settings/setting.ts';

/** Prefixes that other programs are unlikely to use. */
const OWN_PREFIX = /^(?:UPSTREAM|BACKEND)_/;

/** Variables that Kubernetes sets for services. */
const OF_A_SERVICE = /_SERVICE_(?:HOST|PORT)|_PORT(?:_\d+_(?:TCP|UDP).*)?$/;

/** Names of other programs that differ from settings in nothing but their case. */
const OF_OTHERS = new Set(['http_proxy', 'https_proxy', 'no_proxy']);

/**
 * Returns warnings of unknown variables that are similar to settings, or have a prefix of theirs.
 *
 * @throws {ConfigError} in production for a misspelt one: similar to a setting that is not set.
 */
export function checkNames(
  env: EnvironmentVariables,
  known: readonly string[],
  isProduction: boolean,
): readonly string[] {
  const given = Object.keys(env).filter((name) => env[name]?.trim());
  return given.flatMap((name) => {
    if (known.includes(name) || OF_A_SERVICE.test(name)) return [];
    const similar = closest(name.toUpperCase(), known);
    if (!isNear(name, similar)) {
      return OWN_PREFIX.test(name) ? [`${name} is not a setting and has no effect.`] : [];
    }
    const warning = `${name} is not a setting. Did you mean ${similar}?`;
    if (isProduction && !given.includes(similar) && !OF_OTHERS.has(name)) {
      throw new ConfigError(
        `${warning} Correct or remove it: with NODE_ENV=production, misspelt settings prevent the start.`,
      );
    }
    return [warning];
  });
}

/** Whether two names differ by one edit, or by two for long names. */
function isNear(name: string, known: string): boolean {
  // Short names are similar to many variables of other programs.
  if (known.length < 5 && name.length <= known.length) return false;
  return distance(name.toUpperCase(), known) <= (known.length < 10 ? 1 : 2);
}
