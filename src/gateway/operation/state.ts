/**
 * State that one policy keeps on each operation, under a typed key of its own.
 *
 * Each key is a slot of an array, so that all operations have one object shape.
 */

/** An object that states are kept on. */
export interface Stateful {
  /** By slot; undefined before the first state. */
  states: unknown[] | undefined;
}

let slots = 0;

/** Key of a state. Create it once, when its module is loaded. */
export class StateKey<State> {
  readonly #slot = slots++;

  /** Undefined before it is set. */
  get({ states }: Stateful): State | undefined {
    return states?.[this.#slot] as State | undefined;
  }

  set(holder: Stateful, state: State): void {
    const states = (holder.states ??= new Array<unknown>(slots));
    states[this.#slot] = state;
  }
}
