/** Validation: rules that a document does not need are omitted, and no error with them. */
import { parse, specifiedRules, validate, type ExecutionResult } from 'graphql';
import { expect, it } from 'vitest';
import { schema } from '../../src/app/schema.ts';
import { openGateway } from '../support/open-gateway.ts';

it.each([
  '{ ...Unknown }',
  '{ ... on Unknown { __typename } }',
  '{ ... on ID { __typename } }',
  '{ ... on Page { __typename } }',
  '{ page(pageId: "p") { ...F } } fragment F on Topic { name }',
  '{ __typename } fragment Unused on Page { name }',
  '{ ...F } fragment F on Query { __typename } fragment F on Query { __typename }',
  '{ ...F } fragment F on Query { ...F }',
  '{ page(pageId: "p") { audiences { nodes { ...Unknown } } } }',
  '{ __typename @unknown }',
  '{ page(pageId: "p") { name @skip(if: true) @skip(if: true) } }',
  'query @unknown { __typename }',
  'query ($p: ID! @unknown) { page(pageId: $p) { name } }',
  '{ page(pageId: "p") { name @skip } }',
  '{ ...F @unknown } fragment F on Query { __typename }',
  '{ ...F } fragment F on Query @unknown { __typename }',
  '{ __typename } type Page @unknown { name: String }',
])('rejects %s with the errors of all rules', async (query) => {
  const { ask } = await openGateway();

  const { body } = await ask(query);

  const expected = validate(schema, parse(query), specifiedRules).map(({ message }) => message);
  expect(expected).not.toEqual([]);
  const { errors = [] } = body as ExecutionResult;
  expect(errors.map(({ message }) => message)).toEqual(expected);
});
