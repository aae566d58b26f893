/** The plan of a document against a house, as the gateway would make it. */
import { parse } from 'graphql';
import { createContext } from '../../src/graph/context.ts';
import { planFor } from '../../src/plan/cost.ts';
import type { Plan } from '../../src/plan/planner.ts';
import { schema } from '../../src/schema.ts';
import type { House } from './open-house.ts';

export function planOf(
  source: string,
  house: House,
  variableValues: Readonly<Record<string, unknown>> = {},
): Plan {
  const document = parse(source);
  return planFor(
    { schema, document, variableValues },
    createContext(house.rest, { apiKey: 'demo' }),
  )!;
}
