/**
 * What a document will cost, before it is executed.
 *
 * The planner walks a selection as look-ahead and the resolvers will, with the same declarations,
 * but over symbolic objects, so what a request shares is counted once here as well.
 */
import { OperationTypeNode, type OperationDefinitionNode } from 'graphql';
import { collectFields, type OperationContext } from '../execution/collect-fields.ts';
import type { Context } from '../graph/context.ts';
import type { Count, Plan } from './plan-tally.ts';
import { Planner } from './planner.ts';

/**
 * The plan of an operation: calls at least and at most, by route, and rounds.
 *
 * Refused arguments cost nothing, as in execution. Retries are not counted, and reads are counted
 * as if no other request shared them.
 */
export function planOperation(
  operation: OperationDefinitionNode,
  document: OperationContext,
  context: Context,
): Plan {
  const planner = new Planner(document, context);
  let plan = countOnce(planner, operation, document);
  // A later field may make a call earlier than it was first counted: learnt in one pass, used in the next.
  for (let pass = 0; pass < MAX_PASSES && planner.tally.learnt; pass++)
    plan = countOnce(planner, operation, document);
  return plan;
}

const MAX_PASSES = 4;
const ONE: Count = { least: 1, most: 1 };

function countOnce(
  planner: Planner,
  operation: OperationDefinitionNode,
  document: OperationContext,
): Plan {
  const { tally } = planner;
  tally.begin();
  const type = document.schema.getRootType(operation.operation);
  const isMutation = operation.operation === OperationTypeNode.MUTATION;
  for (const selected of type ? collectFields(document, type, [operation]) : []) {
    // Root fields of a mutation follow each other, and forget what was read before.
    const begin = isMutation ? tally.rounds : 0;
    const root = { type: type!, value: {}, keyAt: begin, visibleAt: begin, count: ONE, path: '' };
    planner.field(root, selected);
    if (isMutation) tally.forget();
  }
  return tally.plan();
}
