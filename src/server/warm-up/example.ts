/**
 * The queries of the warm-up, in the shapes of screens, and what its made-up backend answers.
 */
import { z } from 'zod';
import { routes, type Route } from '../../v0/routes.ts';

export const API_KEY = 'warm-up-key-0123456789';

export const QUERIES: readonly string[] = [
  `query Screen($id: ID!) {
    page(pageId: $id) { id pageId name title status createdAt metadata { title }
      audiences(first: 5) { totalCount pageInfo { hasNextPage endCursor }
        edges { cursor node { id audienceId effectiveName status
          latestVersion { versionNumber status createdAt }
          publishedVersion { versionNumber publishedAt }
          person { id name email logs(first: 2) { nodes { source type createdAt } } } } } } }
  }`,
  `query Lookup($id: ID!) { page(pageId: $id) { pageId name title pageType status } }`,
  `query List($id: ID!) {
    persons(first: 5) { nodes { personId name email } pageInfo { hasNextPage } }
    page(pageId: $id) { ...Named }
  }
  fragment Named on Page { __typename id name }`,
];

const ITEMS = 5;

/** Stands for the id in the path that is asked. */
const ASKED = '@';

/** What the backend answers a GET: JSON in the shape of its route, with few bytes. */
export function answersOfBackend(): (url: string) => string {
  const samples = Object.values<Route>(routes)
    .filter(({ method }) => method === 'GET')
    .map(({ path, response }) => ({
      pattern: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '([^/]+)')}$`),
      text: JSON.stringify(sampleOf(response, '', path)),
    }));
  return (url) => {
    const [path = ''] = url.split('?');
    const { pattern, text } = samples.find((one) => one.pattern.test(path))!; // the queries ask for no other
    return text.replaceAll(ASKED, pattern.exec(path)?.[1] ?? 'none');
  };
}

let ids = 0;

function sampleOf(schema: z.core.$ZodType, name: string, path: string): unknown {
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional) {
    return sampleOf(schema.unwrap(), name, path);
  }
  if (schema instanceof z.ZodObject) {
    const fields = Object.entries<z.core.$ZodType>(schema.shape);
    return Object.fromEntries(
      fields.map(([field, inner]) => [field, sampleOf(inner, field, path)]),
    );
  }
  if (schema instanceof z.ZodArray) {
    const length = name === 'items' ? ITEMS : 0;
    return Array.from({ length }, () => sampleOf(schema.element, name, path));
  }
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodRecord) return {};
  if (schema instanceof z.ZodBoolean) return false;
  if (schema instanceof z.ZodNumber) return ITEMS;
  if (name.endsWith('At')) return '2026-01-01T00:00:00Z';
  if (!name.endsWith('Id')) return 'text';
  const parameter = name.replace('Id', '_id');
  return path.includes(`{${parameter}}`) ? ASKED : `${ASKED}_${parameter}_${++ids}`;
}
