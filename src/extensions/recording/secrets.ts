/**
 * API keys during a recording: aliases, and the detection of keys in texts.
 */
import type { Dispatcher } from 'undici';
import { API_KEY_HEADER } from '../../v0/api-key.ts';

/** Returns the key of a call. */
export function keyOf({ headers }: Dispatcher.DispatchOptions): string {
  const list = headers as readonly string[]; // names and values, as sent by the client of `/v0`
  return list[list.indexOf(API_KEY_HEADER) + 1] ?? '';
}

export class KeyAliases {
  readonly #aliases = new Map<string, string>();
  /** Keys in plain form and as encoded in JSON, URLs and base64. */
  readonly #forms = new Set<string>();
  readonly #publicKey: string | undefined;

  /** @param publicKey a public key, such as that of the embedded backend, which texts may contain. */
  constructor(publicKey: string | undefined) {
    this.#publicKey = publicKey;
  }

  /** Returns K1 for the first key, K2 for the second. */
  aliasOf(key: string): string {
    let alias = this.#aliases.get(key);
    if (alias === undefined) {
      alias = `K${this.#aliases.size + 1}`;
      this.#aliases.set(key, alias);
      if (key !== '' && key !== this.#publicKey) this.#notice(key);
    }
    return alias;
  }

  /** Whether a text contains a key seen so far. */
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
