/**
 * Rounds that each `@defer` of a document saves for the initial result.
 */
import { getLocation, visit, type SelectionNode } from 'graphql';
import { deferOf } from '../execution/operation/defer-and-stream.ts';
import type { Context } from '../graph/context.ts';
import { readOperation, type OperationArgs } from './cost.ts';
import { Planner } from './planner.ts';

/** Returns undefined if nothing is deferred, or there is no plan. */
export function planDefers(args: OperationArgs, context: Context) {
  const read = readOperation(args);
  if (!read) return undefined;
  const { operation, known } = read;
  const all: SelectionNode[] = [];
  const note = (node: SelectionNode): void => {
    if (deferOf(node, known.variableValues)) all.push(node);
  };
  visit(args.document, { InlineFragment: note, FragmentSpread: note });
  if (all.length === 0) return undefined;

  /** Rounds of the initial result if all fragments but one are deferred. */
  const roundsWith = (kept: SelectionNode | undefined): number =>
    new Planner({ ...known, isIncremental: true }, context, undefined, undefined, kept).plan(
      operation,
    ).rounds;
  const initialRounds = roundsWith(undefined);
  const defers = all.map((node) => {
    const savesRounds = Math.max(0, roundsWith(node) - initialRounds);
    const { loc } = node;
    return {
      label: deferOf(node, known.variableValues)?.label ?? null,
      at: loc ? getLocation(loc.source, loc.start) : null,
      // Additional rounds of the initial result without it.
      savesRounds,
      pays: savesRounds > 0,
    };
  });
  // Rounds of the initial result with all fragments deferred.
  return { initialRounds, defers };
}
