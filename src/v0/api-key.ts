/** The form of an API key: a valid header value. */

/** Header of the key, for callers and the backend. */
export const API_KEY_HEADER = 'x-api-key';

export const API_KEY_FORM = '1 to 1024 visible ASCII characters';

export const isApiKey = (text: string): boolean => /^[\x21-\x7e]{1,1024}$/.test(text);
