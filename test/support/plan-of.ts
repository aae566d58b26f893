/** The plan of a document against a house, as the gateway would make it. */
import { Kind, parse, type FragmentDefinitionNode, type OperationDefinitionNode } from 'graphql';
import { createContext } from '../../src/graph/context.ts';
import { planOperation } from '../../src/graph/plan.ts';
import type { Plan } from '../../src/graph/plan-tally.ts';
import { schema } from '../../src/schema.ts';
import type { House } from './open-house.ts';

export function planOf(
  source: string,
  house: House,
  variableValues: Readonly<Record<string, unknown>> = {},
): Plan {
  const { definitions } = parse(source);
  const operation = definitions.find(
    (node): node is OperationDefinitionNode => node.kind === Kind.OPERATION_DEFINITION,
  )!;
  const fragments = Object.fromEntries(
    definitions
      .filter((node): node is FragmentDefinitionNode => node.kind === Kind.FRAGMENT_DEFINITION)
      .map((node) => [node.name.value, node]),
  );
  return planOperation(
    operation,
    { schema, fragments, variableValues },
    createContext(house.rest, 'demo'),
  );
}
