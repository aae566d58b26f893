/**
 * An operation's variables, as it sees them: with defaults, and of the types they were declared with.
 */
import {
  getVariableValues,
  Kind,
  type GraphQLSchema,
  type OperationDefinitionNode,
  type VariableDefinitionNode,
} from 'graphql';

type Values = Readonly<Record<string, unknown>>;

/**
 * Undefined when they are wrong; which of them and why, graphql-js says when it is asked to execute.
 *
 * The first error ends it: each prints the whole input, and thousands of them take ten seconds.
 */
export function variablesOf(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  sent: Values | null | undefined,
): Values | undefined {
  const given = sent ?? {};
  return (
    plainValues(variableDefinitions, given) ??
    getVariableValues(schema, variableDefinitions, given, { maxErrors: 0 }).coerced
  );
}

/** What a type of the specification takes as it is. */
const PLAIN: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ['ID', (value: unknown) => typeof value === 'string'],
  ['String', (value: unknown) => typeof value === 'string'],
  ['Boolean', (value: unknown) => typeof value === 'boolean'],
  ['Int', (value: unknown) => typeof value === 'number' && value === (value | 0)],
]);

/** Values that pass as they are, as most do; undefined where there is more to say of one. */
function plainValues(
  definitions: readonly VariableDefinitionNode[],
  sent: Values,
): Values | undefined {
  const values: Record<string, unknown> = {};
  for (const { type, variable } of definitions) {
    const named = type.kind === Kind.NON_NULL_TYPE ? type.type : type;
    const name = variable.name.value;
    const isPlain = named.kind === Kind.NAMED_TYPE ? PLAIN.get(named.name.value) : undefined;
    if (!isPlain || !Object.hasOwn(sent, name) || !isPlain(sent[name])) return undefined;
    values[name] = sent[name];
  }
  return values;
}
