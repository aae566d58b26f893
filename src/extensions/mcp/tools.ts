/**
 * Converts documents of manifests to tools at start. A document that cannot be a tool is a start error, since an agent
 * would not notice that it is missing.
 */
import {
  Kind,
  OperationTypeNode,
  SchemaMetaFieldDef,
  TokenKind,
  TypeMetaFieldDef,
  visit,
  type DocumentNode,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';
import { fragmentsOf } from '../../execution/operation/collect-fields.ts';
import { OperatorError } from '../../lib/operator-error.ts';
import { planningContext } from '../../plan/cost.ts';
import { priceOf, type Price } from '../../plan/price.ts';
import type { Core } from '../../gateway/extension.ts';
import type { Document } from '../../gateway/operation/document.ts';
import { readManifests, type Manifest } from '../../gateway/documents/manifest.ts';
import { orNull, schemaOfSelection, schemaOfVariables } from './json-schema.ts';

export type Tool = ReturnType<typeof toolOf>;

type Described = OperationDefinitionNode | VariableDefinitionNode;

const PRICE_KEY = 'content-pages-gateway/price';

/** Maximum length of names of tools and arguments, above which models' APIs reject all tools. */
const MAX_NAME = 64;

/**
 * Reads all manifests. A tool of a later file replaces one of the same name: `app-1.10` is after `app-1.9`.
 *
 * @throws {OperatorError} for a bad manifest, and a document that cannot be a tool.
 */
export function readTools(
  folder: string,
  { schema, prepare, logger }: Core,
): ReadonlyMap<string, Tool> {
  const tools = new Map<string, Tool>();
  for (const { name: file, texts } of manifestsOf(folder)) {
    const own = new Set<string>();
    for (const [id, text] of texts) {
      const errorFor = (why: string) =>
        new OperatorError(`MCP_DOCUMENTS: ${file}.json: document ${id.slice(0, 12)}: ${why}`);
      const tool = toolOf(schema, prepare(text), errorFor);
      const { name } = tool.definition;
      if (own.has(name))
        throw errorFor(`Two operations of this file are named ${name}. Rename one of them.`);
      own.add(name);
      const other = tools.get(name);
      if (other && other.trusted.hash !== tool.trusted.hash) {
        logger.warn(
          { tool: name, by: file },
          'Two manifests have a tool with the same name: the later version is used',
        );
      }
      tools.set(name, tool);
    }
  }
  return tools;
}

function manifestsOf(folder: string): readonly Manifest[] {
  try {
    return readManifests(folder);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OperatorError(`MCP_DOCUMENTS: ${reason}`, { cause });
  }
}

function toolOf(
  schema: GraphQLSchema,
  trusted: Document,
  errorFor: (why: string) => OperatorError,
) {
  const { syntax: document, operations, errors } = trusted;
  if (errors[0]) throw errorFor(errors[0].message);
  const operation = operations[0]?.node;
  if (!operation || operations.length > 1)
    throw errorFor('A tool is one operation. Keep exactly one operation in the document.');
  const name = operation.name?.value ?? '';
  if (name === '' || name.length > MAX_NAME) {
    throw errorFor(`The operation needs a name of 1 to ${MAX_NAME} characters.`);
  }
  if (operation.operation === OperationTypeNode.SUBSCRIPTION) {
    throw errorFor('A subscription cannot be a tool. Use a query, or a mutation with `waitFor`.');
  }
  const { introspection, counts } = findingsIn(document);
  if (introspection !== undefined) {
    throw errorFor(
      `A tool cannot select ${introspection}. Remove it: tools already have input and output schemas.`,
    );
  }
  const priced = priceOf(schema, document, operation, planningContext('extended'));
  if (!priced) throw errorFor('The cost cannot be planned for any values of the variables.');
  const { calls, rounds, values } = priced.price;
  const { variableDefinitions = [], selectionSet } = operation;
  const long = variableDefinitions.find(({ variable }) => variable.name.value.length > MAX_NAME);
  if (long) {
    throw errorFor(
      `The variable $${long.variable.name.value} has too long a name. Limit: ${MAX_NAME} characters.`,
    );
  }
  const isQuery = operation.operation === OperationTypeNode.QUERY;
  const root = schema.getRootType(operation.operation)!; // the document is valid
  const data = schemaOfSelection(schema, fragmentsOf(document), root, selectionSet);
  const paragraphs = [descriptionOf(operation), describeCost(priced.price)];
  return {
    trusted,
    definition: {
      name,
      description: paragraphs.filter(Boolean).join('\n\n'),
      inputSchema: schemaOfVariables(schema, variableDefinitions, descriptionOf, counts),
      // The shape of a GraphQL result; clients of MCP's first SDK validate errors against it too.
      outputSchema: {
        type: 'object',
        properties: { data: orNull(data), errors: { type: 'array', items: ERROR } },
        required: ['data'],
      },
      // All, since some clients do not apply the defaults of the specification.
      annotations: { readOnlyHint: isQuery, destructiveHint: !isQuery, openWorldHint: false },
      _meta: { [PRICE_KEY]: { calls, rounds, values } },
    },
    /** Variables that limit the size of the result. */
    counts: [...counts],
  };
}

/**
 * Returns the first introspection field of a document, other than `__typename`, and the variables that are `first` or
 * `last` of a list.
 */
function findingsIn(document: DocumentNode) {
  let introspection: string | undefined;
  const counts = new Set<string>();
  visit(document, {
    Field({ name: { value } }) {
      if (value === SchemaMetaFieldDef.name || value === TypeMetaFieldDef.name) {
        introspection ??= value;
      }
    },
    Argument({ name, value }) {
      if (value.kind === Kind.VARIABLE && /^(?:first|last)$/.test(name.value)) {
        counts.add(value.name.value);
      }
    },
  });
  return { introspection, counts };
}

/** Description of an operation or a variable, or the comment lines directly above; undefined without either. */
function descriptionOf({ description, loc }: Described): string | undefined {
  const described = description?.value.trim();
  if (described) return described;
  const lines: string[] = [];
  let token = loc?.startToken.prev;
  for (; token?.kind === TokenKind.COMMENT; token = token.prev) lines.unshift(token.value.trim());
  return lines.join('\n').trim() || undefined;
}

function describeCost({ calls, rounds }: Price): string {
  const { least, most } = calls;
  const range =
    most === null ? `at least ${least}` : least === most ? `${least}` : `${least} to ${most}`;
  const plural = (count: number, word: string) => `${word}${count === 1 ? '' : 's'}`;
  return `Costs ${range} REST ${plural(most ?? 2, 'call')} in ${rounds} ${plural(rounds, 'round trip')}.`;
}

const ERROR = {
  type: 'object',
  properties: {
    message: { type: 'string' },
    // Not a list of types, which Ajv's strict mode allows only with null.
    path: { type: 'array', items: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
    extensions: { type: 'object', properties: { code: { type: 'string' } } },
  },
  required: ['message'],
};
