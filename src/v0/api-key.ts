/**
 * The form of an API key: what a header can hold without being read as something else.
 */

/** The header that carries it, on both sides of the gateway. */
export const API_KEY_HEADER = 'x-api-key';

/** The form in words, for refusals. */
export const API_KEY_FORM = '1 to 1024 visible ASCII characters';

export const isApiKey = (text: string): boolean => /^[\x21-\x7e]{1,1024}$/.test(text);
