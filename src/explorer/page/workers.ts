/**
 * The editor's language services in workers, since graphiql's own set-up does not work in another package's build. A
 * page that is open during a deployment cannot load files later, so a message suggests to reload it.
 */
import type { Environment } from 'monaco-editor';
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphqlWorker from 'monaco-graphql/esm/graphql.worker.js?worker';
import { say } from '../state.ts';

const askToReload = (): void =>
  say('A file of this page could not be loaded. Reload the page.', true);

// Source: Vite, "Load Error Handling".
addEventListener('vite:preloadError', askToReload);

(globalThis as { MonacoEnvironment?: Environment }).MonacoEnvironment = {
  getWorker: (_id, label) => {
    const Worker = { graphql: GraphqlWorker, json: JsonWorker }[label] ?? EditorWorker;
    const worker = new Worker();
    worker.addEventListener('error', (event) => {
      // Errors of a worker's code are ErrorEvents.
      if (!(event instanceof ErrorEvent)) askToReload();
    });
    return worker;
  },
};
