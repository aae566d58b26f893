/** Interface of the cache's second level: a store of reads that replicas share. Implemented by another extension. */

declare module '../../gateway/extension.ts' {
  interface Offers {
    readonly sharedReads?: SharedReads | undefined;
  }
}

export interface SharedReads {
  open(listener: MoveListener): Promise<void>;
  hash(apiKey: string): string;
  find(apiKey: string, id: string, known: string): Promise<FoundRead | undefined>;
  keep(apiKey: string, id: string, found: FoundRead, freshUntilMs: number, text: string): void;
  /** @returns the epoch that a write begins; undefined if it could not be published. */
  move(apiKey: string, known: string): Promise<string | undefined>;
}

/** A shared read as found in the store. */
export interface FoundRead {
  readonly epoch: string;
  /** Times by the store's clock, and by `performance.now()` before and after. */
  readonly at: { readonly serverMs: number; readonly sentMs: number; readonly answeredMs: number };
  readonly kept: { readonly text: string; readonly freshUntilMs: number } | undefined;
}

export interface MoveListener {
  /** @param key hash of the key. */
  onMove(key: string, epoch: string): void;
  /** Moves may have been missed, for example after a reconnect. */
  onGap(): void;
}
