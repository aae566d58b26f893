/**
 * A setting: variable, kind, default and description.
 *
 * Defaults are strings as operators write them, so documented and used values cannot differ.
 */
import { readFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import { z } from 'zod';
import { dictionary } from '../../lib/dictionary.ts';
import { OperatorError } from '../../lib/operator-error.ts';

/** A setting has an invalid value. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
}

/** A schema of a variable; its description states the allowed values. */
export type Kind<Value> = z.ZodType<Value>;

export interface Setting<Value> {
  /** The environment variable; `NAME_*` for all variables that begin so. */
  readonly name: string;
  readonly kind: Kind<NonNullable<Value>>;
  /** Description, in Markdown. */
  readonly meaning: string;
  /** Default as a string; undefined for no value. */
  readonly unset: string | undefined;
  /** Whether its value is never shown, and can be read from the file of `<name>_FILE`. */
  readonly isSecret: boolean;
}

export type Settings = Readonly<Record<string, Setting<unknown>>>;

/** Settings of one part of the gateway or of an extension, under one heading of the documentation. */
export interface SettingGroup {
  readonly title: string;
  readonly settings: Settings;
}

export const group = <Members extends Settings>(title: string, settings: Members) => ({
  title,
  settings,
});

export type ValuesOf<Group extends Settings> = {
  readonly [Key in keyof Group]: Group[Key] extends Setting<infer Value> ? Value : never;
};

export type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/** @param unset default as a string. @default no value */
export const setting = <Value extends {}, Unset extends string | undefined = undefined>(
  name: string,
  kind: Kind<Value>,
  meaning: string,
  unset?: Unset,
): Setting<Unset extends string ? Value : Value | undefined> => ({
  name,
  kind,
  meaning,
  unset,
  isSecret: false,
});

export const secret: typeof setting = (...given) => ({ ...setting(...given), isSecret: true });

/** Variables that a library reads itself; the value is those that are given. */
export const family = (name: `${string}*`, meaning: string): Setting<EnvironmentVariables> => ({
  name,
  kind: z.record(z.string(), z.string()),
  unset: undefined,
  meaning,
  isSecret: false,
});

/** Returns the known variables of a setting. */
export function namesOf({ name, isSecret }: Setting<unknown>): readonly string[] {
  if (name.endsWith('*')) return [];
  return isSecret ? [name, fileName(name)] : [name];
}

export const fileName = (name: string): string => `${name}_FILE`;

/** @throws {ConfigError} for the first invalid value. */
export function readSettings<Group extends Settings>(
  group: Group,
  env: EnvironmentVariables,
): ValuesOf<Group> {
  const values = Object.entries(group).map(([key, one]) => [key, readSetting(one, env)]);
  return Object.freeze(Object.fromEntries(values)) as ValuesOf<Group>; // typed by its settings
}

/** Empty and blank variables count as unset, for compose files. */
const valueOf = (env: EnvironmentVariables, name: string): string | undefined =>
  env[name]?.trim() || undefined;

function readSetting(one: Setting<unknown>, env: EnvironmentVariables): unknown {
  const { name, kind, unset, isSecret } = one;
  if (name.endsWith('*')) return familyOf(name.slice(0, -1), env);
  const given = valueOf(env, name);
  const file = isSecret ? valueOf(env, fileName(name)) : undefined;
  if (given !== undefined && file !== undefined) {
    throw new ConfigError(`${name} and ${fileName(name)} are both set. Remove one of them.`);
  }
  if (file !== undefined) return readSecret(name, file, kind);
  const text = given ?? unset;
  return text === undefined ? undefined : parseSetting(name, kind, text, isSecret);
}

function familyOf(prefix: string, env: EnvironmentVariables): EnvironmentVariables {
  const names = Object.keys(env).filter((name) => name.startsWith(prefix));
  return Object.freeze(dictionary(names.map((name) => [name, valueOf(env, name)])));
}

/** @throws {ConfigError} for an invalid value. */
export function parseSetting<Value>(
  name: string,
  kind: Kind<Value>,
  text: string,
  isSecret = false,
): Value {
  const result = kind.safeParse(text);
  if (result.success) return result.data;
  const got = isSecret ? 'its value is not shown' : `got ${JSON.stringify(redact(text))}`;
  throw new ConfigError(`${name} must be ${kind.description}; ${got}.${hintOf(name, text)}`);
}

function readSecret(name: string, file: string, kind: Kind<unknown>): unknown {
  const { description } = kind;
  // A relative path may be the secret itself, set by mistake.
  const path = isAbsolute(file)
    ? JSON.stringify(file.slice(0, 200))
    : 'its value, which is not shown,';
  const requirement = `${fileName(name)} must be the path of a file that contains ${description}`;
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException; // the file system throws ErrnoExceptions only
    throw new ConfigError(`${requirement}; ${path} cannot be read (${code}).`);
  }
  if (text === '') throw new ConfigError(`${requirement}; ${path} is empty.`);
  const result = kind.safeParse(text);
  if (result.success) return result.data;
  throw new ConfigError(`${requirement}; its content is not shown.`);
}

/** Hint at a variable of a Kubernetes service: `ADMIN_PORT` for a service named `admin`. */
function hintOf(name: string, text: string): string {
  if (!/^(?:tcp|udp|sctp):\/\//.test(text) || !name.endsWith('_PORT')) return '';
  const service = name.slice(0, -'_PORT'.length).toLowerCase();
  return ` Kubernetes sets it for a Service named "${service}". Set enableServiceLinks: false in the pod, or rename the Service.`;
}

/** Hides a URL's password, the token in its query, and a key instead of its file. */
const redact = (value: string): string =>
  value
    .replace(/\/\/[^/@]*@/, '//…@')
    .replace(/\?.*$/s, '?…')
    .replace(/-----BEGIN.*$/s, '…')
    .slice(0, 200);
