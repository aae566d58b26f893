/**
 * The schema as text, with the directives on its fields, which graphql-js leaves out.
 */
import {
  Kind,
  lexicographicSortSchema,
  parse,
  printSchema,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
} from 'graphql';
import { RestCostDirective, restCostOf } from './rest-cost.ts';
import { FIELD_ITSELF, SemanticNonNullDirective, semanticLevelsOf } from './semantic-non-null.ts';

/** In an order that changes with the schema only. */
export function printAnnotatedSchema(schema: GraphQLSchema): string {
  const sorted = lexicographicSortSchema(schema);
  const text = `${printSchema(sorted)}\n`;
  let printed = '';
  let end = 0;
  for (const definition of parse(text).definitions) {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION) continue;
    // It was printed from this very schema.
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
  const cost = restCostOf(field);
  if (cost) {
    const calls = cost.calls === null ? ', calls: null' : '';
    text += ` @${RestCostDirective.name}(route: ${JSON.stringify(cost.route)}${calls})`;
  }
  const levels = semanticLevelsOf(field);
  if (levels) {
    text += ` @${SemanticNonNullDirective.name}`;
    if (levels !== FIELD_ITSELF) text += `(levels: [${levels.join(', ')}])`;
  }
  return text;
}
