/**
 * Tells the user to reload when a file of the page cannot be loaded: a deployment replaces the files, and an open page
 * loads some of them only when they are needed.
 */
import { say } from './messages.ts';

const askToReload = (): void =>
  say('A file of this page could not be loaded. Reload the page.', true);

// Source: Vite, "Load Error Handling".
addEventListener('vite:preloadError', askToReload);

export function watched(worker: Worker): Worker {
  worker.addEventListener('error', (event) => {
    // Errors of a worker's code are ErrorEvents.
    if (!(event instanceof ErrorEvent)) askToReload();
  });
  return worker;
}
