/** Runs a program that prints how many bytes of the old generation something leaves behind. */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { NODE_FLAGS } from '../bench/machine.ts';

/** @param program a URL relative to `from`. */
export async function retainedBytes(
  program: string,
  from: string,
  ...args: string[]
): Promise<number> {
  const file = fileURLToPath(new URL(program, from));
  // No full collection before the old generation has 500 MB.
  const flags = [...NODE_FLAGS, '--initial-old-space-size=500'];
  const command = [...flags, '--import', 'tsx', file, ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command);
  return Number(stdout);
}
