/**
 * `@semanticNonNull`: fields that are null only where something failed, and then with an error.
 *
 * They stay nullable, so that a failure makes only its own field null; clients that handle errors
 * may type them as non-null.
 *
 * Source: https://gaps.graphql.org, GAP-49.
 */
import {
  DirectiveLocation,
  GraphQLDirective,
  GraphQLInt,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLField,
} from 'graphql';

export const SemanticNonNullDirective = new GraphQLDirective({
  name: 'semanticNonNull',
  description:
    'The field is null only where `errors` has an error with its path. Clients that throw on errors can type it as non-null.',
  locations: [DirectiveLocation.FIELD_DEFINITION],
  args: {
    levels: {
      type: new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(GraphQLInt))),
      defaultValue: [0],
      description: 'Which values are meant: 0 is the field itself, 1 the items of its list.',
    },
  },
});

type Levels = readonly number[];

const LEVELS = 'semanticNonNull';
export const FIELD_ITSELF: Levels = [0];

/** The `extensions` of a field that is null only with an error. */
export const nullOnlyWithError = (levels: Levels = FIELD_ITSELF) => ({ [LEVELS]: levels });

/** Where a field is null only with an error; undefined for others. */
export const semanticLevelsOf = (field: GraphQLField<unknown, unknown>): Levels | undefined =>
  field.extensions[LEVELS] as Levels | undefined;
