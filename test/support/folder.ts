/** A temporary folder, which is removed when the file of tests has ended. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterFile } from './after-file.ts';

/** @param files by their names: text as it is, and anything else as JSON. */
export function openFolder(files: Readonly<Record<string, unknown>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'gateway-test-'));
  afterFile(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  for (const [name, content] of Object.entries(files)) {
    const text = typeof content === 'string' ? content : JSON.stringify(content);
    writeFileSync(join(folder, name), text);
  }
  return folder;
}
