/** Places in a built file → places in the sources it was made from. */
import { readdirSync, readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface Place {
  /** Empty for what is in no file. */
  readonly url: string;
  /** The first is 1. */
  readonly line: number;
}

/**
 * Reads the maps of a build.
 *
 * @returns for a URL, line and column (the first are 0) the place in the source; places of other
 *   files as they are.
 */
export function sourcesOf(
  folder: string,
): (url: string, lineNumber: number, columnNumber: number) => Place {
  const maps = new Map(
    readdirSync(folder)
      .filter((file) => file.endsWith('.map'))
      .map((file) => {
        const map = JSON.parse(readFileSync(join(folder, file), 'utf8')) as SourceMapPayload;
        return [
          pathToFileURL(join(folder, file.slice(0, -'.map'.length))).href,
          new SourceMap(map),
        ];
      }),
  );
  return (url, lineNumber, columnNumber) => {
    const entry = maps.get(url)?.findEntry(lineNumber, columnNumber);
    return entry && 'originalSource' in entry
      ? { url: new URL(entry.originalSource, url).href, line: entry.originalLine + 1 }
      : { url, line: lineNumber + 1 };
  };
}
