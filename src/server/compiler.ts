/**
 * A document → a function that executes it.
 */
import {
  BREAK,
  getOperationAST,
  Kind,
  OperationTypeNode,
  visit,
  type ASTNode,
  type DocumentNode,
  type ExecutionArgs,
  type GraphQLSchema,
} from 'graphql';
import { compileQuery, isCompiledQuery, type CompiledQuery } from 'graphql-jit';
import { decided, type Decisions } from './conditions.ts';

/** Characters of a document that is compiled at the most. */
const MAX_LENGTH = 10_000;

export type Compiled = CompiledQuery['query'];

/**
 * Null for what the compiler refuses, or must not see: graphql-js knows more than it does.
 *
 * @param decisions how the document's conditions come out; the answer is for these alone.
 */
export function compile(
  { schema, document, operationName }: ExecutionArgs,
  decisions: Decisions,
): Compiled | null {
  const operation = getOperationAST(document, operationName);
  if (operation?.operation !== OperationTypeNode.QUERY) return null;
  if ((document.loc?.source.body.length ?? 0) > MAX_LENGTH) return null;
  if (isHarmful(document) || isAmbiguous(document, schema)) return null;
  const plain = decided(document, decisions);
  if (!plain) return null;
  const compiled = compileQuery(schema, plain, operationName ?? undefined, {
    // Answers are checked as they arrive: what a leaf holds is an error or of its type already.
    disableLeafSerialization: true,
  });
  return isCompiledQuery(compiled) ? compiled.query : null;
}

/**
 * Whether compiled code would do something else than the document says.
 *
 * - The compiler writes literals into JavaScript, and marks dates and numbers that JSON has no word
 *   for by texts that begin so. What follows such a mark is code: a caller who writes one could run
 *   whatever they like.
 * - An answer's `__proto__` is set instead of written.
 * - A variable inside a literal is not checked for null.
 */
function isHarmful(document: DocumentNode): boolean {
  let harmful = false;
  visit(document, {
    enter: (node, _key, _parent, _path, ancestors) => {
      const text = 'value' in node && typeof node.value === 'string' ? node.value : '';
      harmful =
        text.includes('__MAGIC_') ||
        text === '__proto__' ||
        (node.kind === Kind.VARIABLE && ancestors.some(isLiteral));
      return harmful ? BREAK : undefined;
    },
  });
  return harmful;
}

const isLiteral = (ancestor: ASTNode | readonly ASTNode[]): boolean =>
  'kind' in ancestor && (ancestor.kind === Kind.LIST || ancestor.kind === Kind.OBJECT);

/**
 * Whether the compiler could take two places for one: it names them by their keys joined with `_`,
 * so that a field `person_x` and the field `person` of `x` are the same to it. That takes a key
 * which begins with another part of such a name.
 */
function isAmbiguous(document: DocumentNode, schema: GraphQLSchema): boolean {
  const keys = new Set<string>();
  visit(document, { Field: ({ alias, name }) => void keys.add((alias ?? name).value) });
  const isPart = (text: string): boolean =>
    keys.has(text) || /^idx\d+$/.test(text) || schema.getType(text) !== undefined;
  return [...keys].some((key) =>
    [...key.matchAll(/_/g)].some(({ index }) => isPart(key.slice(0, index))),
  );
}
