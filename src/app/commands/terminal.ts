/** The command line of scripts: arguments, help, tables, and one line for a failure. */
import { parseArgs, type ParseArgsConfig } from 'node:util';
import { Kind, type DocumentNode } from 'graphql';

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

type OptionTypes = NonNullable<ParseArgsConfig['options']>;

type Given<Options extends OptionTypes> = ReturnType<
  typeof parseArgs<{ allowPositionals: true; options: Options }>
>;

/** Prints the lines of a command. The process exits with 1 if it throws. */
export async function runCommand<const Options extends OptionTypes>(
  help: string,
  options: Options,
  work: (given: Given<Options>) => readonly string[] | Promise<readonly string[]>,
): Promise<void> {
  offerHelp(help);
  try {
    const lines = await work(parseArgs({ allowPositionals: true, options }));
    process.stdout.write(`${lines.join('\n')}\n`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

type Row = readonly string[];

/** Pads cells to the width of their columns. */
export function align(rows: readonly Row[]): readonly Row[] {
  const widths = rows[0]!.map((_, i) => Math.max(...rows.map((row) => row[i]!.length)));
  return rows.map((row) => row.map((cell, i) => cell.padEnd(widths[i]!)));
}

export const tableOf = (rows: readonly Row[]): readonly string[] =>
  align(rows).map((row) => row.join('  ').trimEnd());

/** Name of the first operation that has one. */
export function nameOf({ definitions }: DocumentNode): string {
  const operations = definitions.filter((one) => one.kind === Kind.OPERATION_DEFINITION);
  return operations.find(({ name }) => name)?.name?.value ?? 'anonymous';
}

export const shortId = (id: string): string => id.slice(0, 12);
