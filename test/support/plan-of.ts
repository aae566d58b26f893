/** The plan of a document against a house, as the gateway would make it. */
import { getOperationAST, parse } from 'graphql';
import { createContext } from '../../src/graph/context.ts';
import { planFor } from '../../src/graph/cost.ts';
import type { Plan } from '../../src/graph/plan-tally.ts';
import { schema } from '../../src/schema.ts';
import type { House } from './open-house.ts';

export function planOf(
  source: string,
  house: House,
  variables: Readonly<Record<string, unknown>> = {},
): Plan {
  const document = parse(source);
  const operation = getOperationAST(document)!;
  return planFor({ schema, document, operation, variables }, createContext(house.rest, 'demo'))!;
}
