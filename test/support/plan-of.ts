/** The plan of a document against a stack, as the gateway would make it. */
import { parse } from 'graphql';
import { createContext } from '../../src/graph/context.ts';
import { planFor } from '../../src/plan/cost.ts';
import type { Plan } from '../../src/plan/planner.ts';
import { schema } from '../../src/schema.ts';
import type { Stack } from './open-stack.ts';

export function planOf(
  source: string,
  stack: Stack,
  variableValues: Readonly<Record<string, unknown>> = {},
): Plan {
  const document = parse(source);
  return planFor(
    { schema, document, variableValues },
    createContext(stack.rest, { apiKey: 'demo' }),
  )!;
}
