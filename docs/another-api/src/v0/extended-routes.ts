/** Every deployment has all routes: nothing differs, and nothing has to be found out. */
import type { Route } from './routes.ts';

export const DIFFERENCES: ReadonlyMap<string, string> = new Map();

export interface SampleReader {
  find<Response>(
    route: Route<string, Response>,
    input: { readonly path?: Readonly<Record<string, string>> },
  ): Promise<Response | null | undefined>;
}

type Sample = Readonly<Record<string, string>> | 'no parent' | 'no sample';

export const SAMPLES = new Map<
  Route,
  (path: Readonly<Record<string, string>>, reader: SampleReader) => Promise<Sample>
>();
