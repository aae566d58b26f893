/**
 * Parses dates of HTTP headers, in all three formats (RFC 9110, section 5.6.7).
 */

/** Adds the zone to a date without one, such as asctime's: HTTP's dates are in UTC. */
export const withZone = (date: string): string =>
  /^[A-Z][a-z].*\d$/.test(date) && !/[+-]\d{4}$/.test(date) ? `${date} GMT` : date;

/** Milliseconds since 1970; NaN for other texts. `Date.parse` alone reads "1.5" and "-5" as years. */
export const parseHttpDate = (text: string): number =>
  /^[A-Z][a-z]/.test(text) ? Date.parse(withZone(text)) : NaN;
