/** What the page says of what was just done, in a place of its own. */
import { createChanges } from '../exchange/changes.ts';

/** Long enough to be read, in milliseconds. */
const SHOWN_MS = 8_000;

let message = '';
let timer: ReturnType<typeof setTimeout> | undefined;
const changes = createChanges();

/** Takes the place of what was said before. */
export function say(text: string): void {
  message = text;
  clearTimeout(timer);
  if (text) timer = setTimeout(() => say(''), SHOWN_MS);
  changes.notify();
}

export const useMessage = (): string => changes.useValue(() => message);
