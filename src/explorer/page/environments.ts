/**
 * Named sets of headers that the user has saved in this browser. They are not in links or the history.
 */
import { createChanges } from '../exchange/changes.ts';
import { local, session } from '../storage.ts';

export interface Environment {
  readonly name: string;
  /** JSON, as the editor of headers takes it. */
  readonly headers: string;
}

const NAME = 'content-pages:environments';
const IN_USE = 'content-pages:environment';
const changes = createChanges();
let lastRead: { readonly text: string; readonly environments: readonly Environment[] } | undefined;

function read(): readonly Environment[] {
  const text = local.get(NAME) ?? '[]';
  if (lastRead?.text === text) return lastRead.environments;
  let environments: readonly Environment[] = [];
  try {
    const saved: unknown = JSON.parse(text);
    if (Array.isArray(saved)) environments = saved as Environment[];
  } catch {
    // Values that are not ours are ignored.
  }
  lastRead = { text, environments };
  return environments;
}

export const useEnvironments = (): readonly Environment[] => changes.useValue(read);

/** Saves an environment; one of the same name is replaced. Returns whether it outlives the page. */
export function saveEnvironment(environment: Environment): boolean {
  return write([...read().filter(({ name }) => name !== environment.name), environment]);
}

export function deleteEnvironment(name: string): void {
  write(read().filter((one) => one.name !== name));
}

/** The environment in use in this tab of the browser, as saved; undefined for none. */
export const environmentInUse = (): Environment | undefined =>
  read().find(({ name }) => name === session.get(IN_USE));

/** @param name undefined for none. */
export function chooseEnvironment(name: string | undefined): void {
  session.set(IN_USE, name ?? '');
  changes.notify();
}

export const useEnvironmentInUse = (): Environment | undefined =>
  changes.useValue(environmentInUse);

function write(environments: readonly Environment[]): boolean {
  const isKept = local.set(NAME, JSON.stringify(environments));
  changes.notify();
  return isKept;
}
