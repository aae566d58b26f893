/**
 * The directives `@restCost` and `@semanticNonNull`, and the schema printed with them.
 *
 * A field's cost is read from its requirement, like its plan and description.
 */
import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  GraphQLString,
  Kind,
  lexicographicSortSchema,
  parse,
  printSchema,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { requirementOf, semanticLevelsOf } from '../entity/requirement.ts';

export const RestCostDirective = new GraphQLDirective({
  name: 'restCost',
  description:
    'Maximum number of REST calls that the field makes for one object, excluding its selection. Fields can share a call, and a reference of which only IDs are selected makes none.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    route: {
      type: new GraphQLNonNull(GraphQLString),
      description: 'Method and path of the REST route.',
    },
    calls: {
      type: GraphQLInt,
      defaultValue: 1,
      description:
        'Number of calls, for one page of up to 100 items of a list. Null if unknown: a list is read to its end, one call per page, or a subscription polls while it is open.',
    },
  },
});

/**
 * Fields that are null only on failure stay nullable, so a failure nulls only its own field; clients that handle errors
 * may type them as non-null.
 *
 * Source: https://gaps.graphql.org, GAP-49.
 */
export const SemanticNonNullDirective = new GraphQLDirective({
  name: 'semanticNonNull',
  description:
    'The field is null only if `errors` contains an error with its path. Clients that throw on errors can type it as non-null.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    levels: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLInt))),
      defaultValue: [0],
      description:
        'Levels that are semantically non-null: 0 is the field itself, 1 the items of its list.',
    },
  },
});

/**
 * Prints the schema in a stable order. graphql-js does not print directives of fields, so they are added after each.
 */
export function printAnnotatedSchema(schema: GraphQLSchema): string {
  const sorted = lexicographicSortSchema(schema);
  const text = `${printSchema(sorted)}\n`;
  let printed = '';
  let end = 0;
  for (const definition of parse(text).definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    // Safe cast: printed from this schema.
    const fields = (sorted.getType(definition.name.value) as GraphQLObjectType).getFields();
    for (const { name, loc } of definition.fields ?? []) {
      if (!loc) continue;
      printed += text.slice(end, loc.end) + directivesOf(fields[name.value]!);
      end = loc.end;
    }
  }
  return printed + text.slice(end);
}

function directivesOf(field: GraphQLField<unknown, unknown>): string {
  let text = '';
  const requirement = requirementOf(field);
  if (requirement?.route) {
    const { method, path } = requirement.route;
    const isOpenEnded =
      requirement.kind === 'watch' ||
      (requirement.kind === 'list' && requirement.paginates) ||
      (requirement.kind === 'load' && requirement.list);
    const label = JSON.stringify(`${method} ${path}`);
    text += ` @${RestCostDirective.name}(route: ${label}${isOpenEnded ? ', calls: null' : ''})`;
  }
  const levels = semanticLevelsOf(field);
  if (levels) {
    text += ` @${SemanticNonNullDirective.name}`;
    if (levels[0] !== 0) text += `(levels: [${levels.join(', ')}])`;
  }
  return text;
}
