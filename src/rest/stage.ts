/**
 * Layers that look at a try as it begins and as it ends, around whatever sends it.
 *
 * They could be functions around a `Send`, as the outer layers are. But a promise and its closures
 * for each of them cost a call more than all that they do.
 */
import type { Answer, Outgoing, Send } from './send.ts';

export interface Stage {
  /** Throws to refuse the try; answers a promise to keep it waiting. */
  begin(outgoing: Outgoing): Promise<void> | undefined;
  /** The try it let begin has ended. */
  end(outgoing: Outgoing, outcome: Answer | Error): void;
}

/** Sends a try past stages, the outermost first; as it ends they are told in the other order. */
export function inStages(stages: readonly Stage[], send: Send): Send {
  return (outgoing) => enter(outgoing, 0);

  function enter(outgoing: Outgoing, from: number): Promise<Answer> {
    let begun = from;
    const fail = (error: Error): never => {
      leave(outgoing, begun, error);
      throw error;
    };
    try {
      for (; begun < stages.length; begun++) {
        const wait = stages[begun]!.begin(outgoing);
        if (wait) return wait.then(() => enter(outgoing, begun + 1), fail);
      }
    } catch (error) {
      const refusal = error as Error;
      leave(outgoing, begun, refusal);
      return Promise.reject(refusal);
    }
    return send(outgoing).then((answer) => {
      leave(outgoing, begun, answer);
      return answer;
    }, fail);
  }

  function leave(outgoing: Outgoing, begun: number, outcome: Answer | Error): void {
    outgoing.endMs = performance.now();
    for (let i = begun - 1; i >= 0; i--) stages[i]!.end(outgoing, outcome);
  }
}
