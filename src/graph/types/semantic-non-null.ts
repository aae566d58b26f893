/**
 * `@semanticNonNull`: fields that are null only where something failed, and then with an error.
 *
 * They stay nullable, so that a failure makes only its own field null; clients that handle errors
 * may
 * type them as non-null.
 *
 * Source: https://gaps.graphql.org, GAP-49.
 */
import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  Kind,
  lexicographicSortSchema,
  parse,
  printSchema,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';

export const SemanticNonNullDirective = new GraphQLDirective({
  name: 'semanticNonNull',
  description:
    'The field is null only with an error at its place. `levels`: 0 is the field itself, 1 the items of its list.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    levels: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLInt))),
      defaultValue: [0],
    },
  },
});

type Levels = readonly number[];

const LEVELS = 'semanticNonNull';
const FIELD_ITSELF: Levels = [0];

/** The `extensions` of a field that is null only with an error. */
export const nullOnlyWithError = (levels: Levels = FIELD_ITSELF) => ({ [LEVELS]: levels });

/** Where a field is null only with an error; undefined for others. */
export const semanticLevelsOf = (field: GraphQLField<unknown, unknown>): Levels | undefined =>
  field.extensions[LEVELS] as Levels | undefined;

/** The schema as text, in an order that changes with the schema only, with the directive on its fields. */
export function printSemanticSchema(schema: GraphQLSchema): string {
  const sorted = lexicographicSortSchema(schema);
  const text = `${printSchema(sorted)}\n`;
  let printed = '';
  let end = 0;
  for (const definition of parse(text).definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    // It was printed from this very schema.
    const fields = (sorted.getType(definition.name.value) as GraphQLObjectType).getFields();
    for (const { name, loc } of definition.fields ?? []) {
      const levels = semanticLevelsOf(fields[name.value]!);
      if (!levels || !loc) continue;
      printed += `${text.slice(end, loc.end)} @${SemanticNonNullDirective.name}`;
      if (levels !== FIELD_ITSELF) printed += `(levels: [${levels.join(', ')}])`;
      end = loc.end;
    }
  }
  return printed + text.slice(end);
}
