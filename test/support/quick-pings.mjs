/** Loaded into a gateway by tests of sockets whose other end is gone: pings are sent ten times as often. */
const PING_MS = 12_000;

const real = globalThis.setInterval;
globalThis.setInterval = (run, ms, ...args) => real(run, ms === PING_MS ? ms / 10 : ms, ...args);
