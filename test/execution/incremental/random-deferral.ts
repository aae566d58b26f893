/**
 * Random `@defer` and `@stream` in a document that has none.
 */
import {
  getNullableType,
  isListType,
  Kind,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo,
  type DirectiveNode,
  type DocumentNode,
  type GraphQLSchema,
  type SelectionNode,
} from 'graphql';
import { randomFrom } from '../../support/random-query.ts';

export function deferRandomly(
  seed: number,
  schema: GraphQLSchema,
  document: DocumentNode,
): DocumentNode {
  const random = randomFrom(seed);
  const chance = (probability: number): boolean => random() < probability;
  let labels = 0;
  const directive = (name: 'defer' | 'stream'): DirectiveNode => {
    const args = [`label: "L${labels++}"`];
    if (chance(0.1)) args.push(`if: ${chance(0.5)}`);
    if (name === 'stream' && chance(0.7)) args.push(`initialCount: ${Math.floor(random() * 3)}`);
    const parsed = parse(`{ a @${name}(${args.join(', ')}) }`, { noLocation: true });
    const [operation] = parsed.definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('No operation.');
    return operation.selectionSet.selections[0]!.directives![0]!;
  };
  const info = new TypeInfo(schema);
  // Root fields of mutations cannot be deferred or streamed.
  const isAllowed = (): boolean => info.getParentType() !== schema.getMutationType();
  return visit(
    document,
    visitWithTypeInfo(info, {
      Field: {
        leave: (node) => {
          const type = info.getType();
          const isList = type && isListType(getNullableType(type));
          if (!isList || !chance(0.4) || !isAllowed()) return undefined;
          return { ...node, directives: [...(node.directives ?? []), directive('stream')] };
        },
      },
      FragmentSpread: (node) =>
        chance(0.3) && isAllowed()
          ? { ...node, directives: [...(node.directives ?? []), directive('defer')] }
          : undefined,
      SelectionSet: {
        leave: (node) => {
          if (!chance(0.5) || !isAllowed()) return undefined;
          const later: SelectionNode[] = node.selections.filter(() => chance(0.5));
          if (later.length === 0) return undefined;
          // Select some in both.
          const kept = node.selections.filter((one) => !later.includes(one) || chance(0.2));
          const fragment: SelectionNode = {
            kind: Kind.INLINE_FRAGMENT,
            directives: [directive('defer')],
            selectionSet: { kind: Kind.SELECTION_SET, selections: later },
          };
          return { ...node, selections: [...kept, fragment] };
        },
      },
    }),
  );
}
