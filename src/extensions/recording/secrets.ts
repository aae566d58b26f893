/**
 * The keys of callers while a recording is made: an alias for each, and whether a text holds one of them.
 */
import type { Dispatcher } from 'undici';
import { API_KEY_HEADER } from '../../v0/api-key.ts';

/** The key that a call is sent with. */
export function keyOf({ headers }: Dispatcher.DispatchOptions): string {
  const list = headers as readonly string[]; // of names and values, as the client of `/v0` sends them
  return list[list.indexOf(API_KEY_HEADER) + 1] ?? '';
}

export class Keys {
  readonly #aliases = new Map<string, string>();
  /** Each key, and the forms that JSON, URLs and base64 give it. */
  readonly #forms = new Set<string>();
  readonly #publicKey: string | undefined;

  /** @param publicKey one that everybody knows, such as that of the embedded backend, may be in a text. */
  constructor(publicKey: string | undefined) {
    this.#publicKey = publicKey;
  }

  /** K1 for the first key, K2 for the second. */
  aliasOf(key: string): string {
    let alias = this.#aliases.get(key);
    if (alias === undefined) {
      alias = `K${this.#aliases.size + 1}`;
      this.#aliases.set(key, alias);
      if (key !== '' && key !== this.#publicKey) this.#notice(key);
    }
    return alias;
  }

  /** Whether a text holds a key that was seen so far. */
  isIn(text: string): boolean {
    for (const form of this.#forms) if (text.includes(form)) return true;
    return false;
  }

  #notice(key: string): void {
    this.#forms.add(key);
    this.#forms.add(JSON.stringify(key).slice(1, -1));
    this.#forms.add(encodeURIComponent(key));
    this.#forms.add(Buffer.from(key).toString('base64').replace(/=+$/, ''));
    this.#forms.add(Buffer.from(key).toString('base64url'));
  }
}
