/** Which pages may ask where browsers ask no permission. */

/** Only browsers send an origin, and no page can forge one. */
export const mayAsk = (
  origin: string | undefined,
  host: string | undefined,
  corsOrigins: readonly string[],
): boolean =>
  origin === undefined ||
  corsOrigins.includes(origin) ||
  (URL.canParse(origin) && new URL(origin).host === host);
