/**
 * The editor's language services in workers.
 *
 * graphiql's own set-up for bundlers does not work in another package's build.
 */
import type { Environment } from 'monaco-editor';
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphqlWorker from 'monaco-graphql/esm/graphql.worker.js?worker';
import { watched } from './stale-page.ts';

(globalThis as { MonacoEnvironment?: Environment }).MonacoEnvironment = {
  getWorker: (_id, label) => {
    if (label === 'graphql') return watched(new GraphqlWorker());
    return watched(label === 'json' ? new JsonWorker() : new EditorWorker());
  },
};
