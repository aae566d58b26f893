/** Reads the unchecked parameters of an HTTP request from a query string, a form, or JSON. */
import type { Operation } from './operation.ts';
import { parseJson, readForm } from './params.ts';

type RequestParts = Pick<Operation, 'method' | 'headers' | 'url'>;

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';

export const hasJsonType = ({ headers }: RequestParts): boolean =>
  // Fast path for the usual form.
  headers['content-type'] === JSON_TYPE || mediaTypeOf(headers['content-type']) === JSON_TYPE;

const hasFormType = ({ headers }: RequestParts): boolean =>
  mediaTypeOf(headers['content-type']) === FORM_TYPE;

/**
 * Media types that forms can send; empty without a header. Source: Fetch standard, "CORS-safelisted request-header".
 */
const TYPES_OF_FORMS = new Set([FORM_TYPE, 'multipart/form-data', 'text/plain', '']);

/** Whether a form can send a body of its media type. */
export const isOfForms = ({ headers }: RequestParts): boolean =>
  TYPES_OF_FORMS.has(mediaTypeOf(headers['content-type']));

/** Whether parameters can be read from its media type. */
export const isReadable = (request: RequestParts): boolean =>
  request.method === 'GET' || hasJsonType(request) || hasFormType(request);

/**
 * Reads the parameters of a request for which `isReadable` is true.
 *
 * @throws BAD_REQUEST
 */
export function readRequest(request: RequestParts, body: string): unknown {
  const { method, url } = request;
  if (method !== 'GET') return hasJsonType(request) ? parseJson(body, 'the body') : readForm(body);
  const start = url.indexOf('?');
  return readForm(start === -1 ? '' : url.slice(start + 1));
}

function mediaTypeOf(type: string | string[] | undefined): string {
  if (typeof type !== 'string') return '';
  const end = type.indexOf(';');
  return (end === -1 ? type : type.slice(0, end)).trim().toLowerCase();
}
