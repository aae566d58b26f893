/**
 * Requests of orchestrators. They ask by addresses and names of their own, and kill a process that answers
 * late; a page learns nothing from the answers.
 */
const PROBES = new Set(['/health', '/ready']);

/** @param url as Node's server has read it. */
export const isProbe = (url: string | undefined): boolean => url !== undefined && PROBES.has(url);
