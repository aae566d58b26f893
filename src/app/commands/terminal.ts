/** What commands write to the terminal: lines, tables, their help, and one line where they fail. */

/** Ends the process after the help, where that is asked for by `--help` or `-h`. */
export function offerHelp(help: string): void {
  if (!process.argv.slice(2).some((given) => given === '--help' || given === '-h')) return;
  process.stdout.write(`${help.trim()}\n`);
  process.exit(0);
}

/** Ends the process after the help, or with 1 where anything else is given. */
export function takeNoArguments(help: string): void {
  offerHelp(help);
  const [given] = process.argv.slice(2);
  if (given === undefined) return;
  process.stderr.write(`There is no argument ${given}. --help says more.\n`);
  process.exit(1);
}

/**
 * @param help what `--help` prints.
 * @param work answers what is printed. Where it throws, the process ends with 1, so that CI notices.
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

/** Rows of cells as a table. */
export function aligned(rows: readonly (readonly string[])[]): readonly string[] {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );
}
