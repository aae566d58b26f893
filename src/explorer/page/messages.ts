/** Short confirmations, shown in the top bar. */
import { createChanges } from '../exchange/changes.ts';

/** Time on screen, in milliseconds. */
const SHOWN_MS = 8_000;

let message = '';
let timer: ReturnType<typeof setTimeout> | undefined;
const changes = createChanges();

/** Shows a message in place of the one before. */
export function say(text: string): void {
  message = text;
  clearTimeout(timer);
  if (text) timer = setTimeout(() => say(''), SHOWN_MS);
  changes.notify();
}

export const useMessage = (): string => changes.useValue(() => message);
