/** Costs of the documents of a manifest, and how commands print them. */
import {
  Kind,
  parse,
  TypeInfo,
  validate,
  visit,
  visitWithTypeInfo,
  type DocumentNode,
  type GraphQLError,
} from 'graphql';
import { orUndefined } from '../../lib/or-undefined.ts';
import { planningContext } from '../../plan/cost.ts';
import { priceOf, type Price, type Priced } from '../../plan/price.ts';
import type { RouteSet } from '../../v0/routes.ts';
import { schema } from '../schema.ts';
import { nameOf } from './terminal.ts';

export interface PricedOperation {
  readonly name: string;
  /** Id of its document. */
  readonly id: string;
  readonly priced: Priced;
}

/** Why a document is not served, or not planned. */
export interface DocumentProblem {
  readonly name: string;
  readonly id: string;
  readonly field: string;
  readonly message: string;
}

export function priceDocuments(texts: ReadonlyMap<string, string>, routeSet: RouteSet) {
  const context = planningContext(routeSet);
  const operations: PricedOperation[] = [];
  const problems: DocumentProblem[] = [];
  for (const [id, text] of texts) {
    const document = orUndefined(() => parse(text));
    if (!document) {
      problems.push({ name: 'document', id, field: 'syntax', message: 'It cannot be parsed.' });
      continue;
    }
    const errors = validate(schema, document);
    problems.push(
      ...errors.map((error) => ({
        name: nameOf(document),
        id,
        field: fieldOf(document, error),
        message: error.message,
      })),
    );
    if (errors.length > 0) continue;
    for (const operation of document.definitions) {
      if (operation.kind !== Kind.OPERATION_DEFINITION) continue;
      const name = operation.name?.value ?? 'anonymous';
      const priced = priceOf(schema, document, operation, context);
      if (priced) operations.push({ name, id, priced });
      else {
        const message = 'It cannot be planned for any value.';
        problems.push({ name, id, field: 'variables', message });
      }
    }
  }
  return { operations, problems };
}

/** Returns the innermost field of an error: `Page.audiences`. */
function fieldOf(document: DocumentNode, { nodes }: GraphQLError): string {
  const place = nodes?.[0]?.loc?.start ?? -1;
  const typeInfo = new TypeInfo(schema);
  let field = 'operation';
  visit(
    document,
    visitWithTypeInfo(typeInfo, {
      Field({ loc, name }) {
        if (loc && loc.start <= place && place <= loc.end) {
          field = `${typeInfo.getParentType()?.name ?? '?'}.${name.value}`;
        }
      },
    }),
  );
  return field;
}

/** `1 to 4 calls in 2 round trips, 1 to 12 values` */
export const summaryOf = ({ calls, rounds, values }: Price): string =>
  `${pluralize(rangeOf(calls), 'call')} in ${pluralize(String(rounds), 'round trip')}, ${pluralize(rangeOf(values), 'value')}`;

const pluralize = (count: string, noun: string): string =>
  `${count} ${noun}${count === '1' ? '' : 's'}`;

export const rangeOf = ({ least, most }: Price['calls']): string =>
  least === most ? numberOf(most) : `${least} to ${numberOf(most)}`;

/** Null and `Infinity` are unknown, for lists of unknown length. */
export const numberOf = (count: number | null): string =>
  count === null || count === Infinity ? 'unknown' : String(count);
