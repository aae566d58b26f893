/** Short confirmations, shown in the top bar. */
import { createChanges } from '../state.ts';

const SHOWN_MS = 8_000;

let message = '';
let timer: ReturnType<typeof setTimeout> | undefined;
const changes = createChanges();

/** Shows a message instead of the one before; `stays`: until the next. */
export function say(text: string, stays = false): void {
  message = text;
  clearTimeout(timer);
  if (text && !stays) timer = setTimeout(() => say(''), SHOWN_MS);
  changes.notify();
}

export const useMessage = (): string => changes.useValue(() => message);
