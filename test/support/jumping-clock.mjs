/**
 * Loaded into a gateway by tests of clocks: the wall clock jumps a day forwards or back, to and fro, ten
 * times a second.
 */
const DAY_MS = 86_400_000;

const Real = Date;
let shiftMs = DAY_MS;
globalThis.setInterval(() => (shiftMs = -shiftMs), 100).unref();

globalThis.Date = class extends Real {
  constructor(...parts) {
    super(...(parts.length > 0 ? parts : [Real.now() + shiftMs]));
  }

  static now() {
    return Real.now() + shiftMs;
  }
};
