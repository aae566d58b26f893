/** Reads usage counts for commands, from a gateway or a saved file. */
import { readFile } from 'node:fs/promises';
import { usageReport, type UsageReport } from './usage-report.ts';

/**
 * @param from `http://127.0.0.1:4001`, with or without `/usage`, or a file.
 * @throws {Error} for a source without usage counts.
 */
export async function readUsage(from: string): Promise<UsageReport> {
  const found = usageReport.safeParse(parsed(await textOf(from)));
  if (found.success) return found.data;
  throw new Error(
    `${from} has no usage counts: name a gateway by its ADMIN_PORT, as http://127.0.0.1:4001, or a file of its /usage.`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function textOf(from: string): Promise<string> {
  // Unreadable files, and URLs without a scheme, have no usage counts.
  if (!/^https?:/.test(from)) return readFile(from, 'utf8').catch(() => '');
  const url = new URL(from);
  if (url.pathname === '/') url.pathname = '/usage';
  const response = await fetch(url).catch((error: unknown) => {
    throw new Error(`${url.href} cannot be asked: name the ADMIN_PORT of a gateway.`, {
      cause: error,
    });
  });
  if (response.ok) return response.text();
  throw new Error(
    `${url.href} answers ${response.status}: name the ADMIN_PORT of a gateway, which alone tells usage.`,
  );
}
