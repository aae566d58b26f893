/**
 * Layers that look at a try as it begins and as it ends, around whatever sends it.
 */
import type { Layer, Outcome, Outgoing } from './send.ts';

/** Lets a try go on that had to wait, or ends it. */
export type Proceed = (outgoing: Outgoing, refusal?: Error) => void;

export interface Stage {
  /** Whether the try goes on at once; if not, `proceed` is called when it may. Throws to refuse it. */
  begin(outgoing: Outgoing, proceed: Proceed): boolean;
  /** The try it let begin has ended. */
  end(outgoing: Outgoing, outcome: Outcome): void;
}

/** Sends a try past stages, the outermost first; as it ends they are told in the other order. */
export function inStages(stages: readonly Stage[], layer: Layer): Layer {
  return (settle) => {
    const send = layer(leave);
    return (outgoing) => {
      outgoing.passed = 0;
      enter(outgoing);
    };

    function enter(outgoing: Outgoing): void {
      try {
        for (; outgoing.passed < stages.length; outgoing.passed++) {
          if (!stages[outgoing.passed]!.begin(outgoing, proceed)) return;
        }
      } catch (error) {
        leave(outgoing, error as Error);
        return;
      }
      send(outgoing);
    }

    function proceed(outgoing: Outgoing, refusal?: Error): void {
      if (refusal) {
        leave(outgoing, refusal);
        return;
      }
      outgoing.passed += 1;
      enter(outgoing);
    }

    function leave(outgoing: Outgoing, outcome: Outcome): void {
      outgoing.endMs = performance.now();
      let told = outcome;
      try {
        for (let i = outgoing.passed - 1; i >= 0; i--) stages[i]!.end(outgoing, outcome);
      } catch (error) {
        told = error as Error; // a mistake of ours: it must not cost more than this call
      }
      settle(outgoing, told);
    }
  };
}
