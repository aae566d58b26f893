/**
 * The list of settings: in Markdown one table, with a heading row per group, and on a terminal two lines per setting.
 */
import { align } from './terminal.ts';
import { fileName, type SettingGroup, type Setting } from '../../gateway/settings/setting.ts';

type SettingRow = readonly [name: string, unset: string, meaning: string];

const HEAD: SettingRow = ['variable', 'default', 'meaning'];

export const listOf = (groups: readonly SettingGroup[]): string =>
  tableOf(
    groups.flatMap(({ title, settings }): SettingRow[] => [
      [`**${title}**`, '', ''],
      ...Object.values(settings).flatMap(rowsOf),
    ]),
  );

/** For `--help`. */
export const linesOf = (groups: readonly SettingGroup[]): string =>
  groups
    .flatMap(({ title, settings }) => [
      `\n${title}\n`,
      ...Object.values(settings)
        .flatMap(rowsOf)
        .map(([name, unset, meaning]) => `  ${name} (${unset})\n    ${meaning}`),
    ])
    .join('\n')
    .replaceAll(/`|\[([^\]]*)\]\([^)]*\)/g, '$1');

function rowsOf({ name, unset, meaning, isSecret }: Setting<unknown>): SettingRow[] {
  const row: SettingRow = [`\`${name}\``, unset ? `\`${unset}\`` : 'unset', meaning];
  if (!isSecret) return [row];
  return [row, [`\`${fileName(name)}\``, 'unset', `File to read \`${name}\` from.`]];
}

/** Formats a table like Prettier. */
function tableOf(rows: readonly SettingRow[]): string {
  const [head = [], ...others] = align([HEAD, ...rows]);
  const rule = head.map((cell) => '-'.repeat(cell.length));
  return [head, rule, ...others].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}
