/** Requests as code for clients: the code compiles against the clients' types. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, it, onTestFinished } from 'vitest';
import { ROOT } from '../support/pages.ts';
import { CASES, copyOf } from './sample-requests.ts';

it('the code for each client except curl compiles as TypeScript', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(ROOT, 'node_modules/.copies-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const files = CASES.filter(([client]) => client !== 'curl').map(
    ([client, kind, request], index) => {
      const text = copyOf(client, request);
      const [, artifact] = /from "(\.\/__generated__\/\w+)\.graphql"/.exec(text) ?? [];
      const name = /import type \{ (\w+) \}/.exec(text)?.[1];
      const file = join(folder, `${index}-${kind.replaceAll(' ', '-')}.tsx`);
      // The types that relay-compiler would have written.
      const types = artifact
        ? text.replace(
            /^import type .*$/m,
            `type ${name} = { response: Record<string, unknown>; variables: Record<string, unknown> };`,
          )
        : text;
      writeFileSync(file, types);
      return file;
    },
  );

  const program = ts.createProgram(files, {
    noEmit: true,
    strict: true,
    skipLibCheck: true,
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.Preserve,
    moduleDetection: ts.ModuleDetectionKind.Force,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts', 'lib.dom.asynciterable.d.ts'],
    types: ['react'],
  });
  const faults = ts
    .getPreEmitDiagnostics(program)
    .map(
      ({ file, messageText }) =>
        `${file?.fileName.slice(-40)} ${ts.flattenDiagnosticMessageText(messageText, ' ')}`,
    );
  expect(faults).toEqual([]);
});
