/** The plan of a document against a gateway, as the gateway would make it. */
import { parse } from 'graphql';
import { createContext } from '../../src/graph/context.ts';
import { planFor } from '../../src/plan/cost.ts';
import type { Plan } from '../../src/plan/account.ts';
import { schema } from '../../src/app/schema.ts';
import type { InProcessGateway } from './open-gateway.ts';

export function planOf(
  source: string,
  gateway: InProcessGateway,
  variableValues: Readonly<Record<string, unknown>> = {},
): Plan {
  const document = parse(source);
  return planFor(
    { schema, document, variableValues },
    createContext(gateway.rest, { apiKey: 'demo' }),
  )!;
}
