/** Terminal output of commands: lines, tables, help, and one line for a failure. */

/** Prints the help and exits if `--help` or `-h` is given. */
export function offerHelp(help: string): void {
  if (!process.argv.slice(2).some((given) => given === '--help' || given === '-h')) return;
  process.stdout.write(`${help.trim()}\n`);
  process.exit(0);
}

/** Like `offerHelp`, but also for `--version` and `-v`, and exits with 1 for other arguments. */
export function takeNoArguments(help: string, version?: string): void {
  offerHelp(help);
  const [given] = process.argv.slice(2);
  if (version !== undefined && (given === '--version' || given === '-v')) {
    process.stdout.write(`${version}\n`);
    process.exit(0);
  }
  if (given === undefined) return;
  process.stderr.write(`Unknown argument ${given}. See --help.\n`);
  process.exit(1);
}

/**
 * @param help text of `--help`.
 * @param work returns the lines. If it throws, the process exits with 1.
 */
export async function printLines(
  help: string,
  work: () => readonly string[] | Promise<readonly string[]>,
): Promise<void> {
  offerHelp(help);
  try {
    process.stdout.write(`${(await work()).join('\n')}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

/** Formats rows of cells as a table. */
export function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );
}
