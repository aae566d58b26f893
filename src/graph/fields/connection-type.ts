/** Connection types by the relay plugin, with `nodes` and `totalCount` added. */
import type { ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';
import { nullOnlyWithError } from '../entity/requirement.ts';
import { nounOf, withArticle, type EntityOf, type Types } from '../entity/entity.ts';
import { followKey } from '../entity/prefetching.ts';
import { builder } from '../schema/builder.ts';
import { NodeReference } from '../types/key.ts';
import type { Edge, NodePage } from '../types/node-page.ts';

/**
 * Returns `<Name>Connection`, created with `<Name>Edge` by the first call for a node type.
 *
 * @param entity entity of `NodeReference`s among the nodes.
 * @throws Error if another call for the node type has another entity.
 */
export function connectionType<Node extends object>(
  nodeRef: ObjectRef<Types, Node>,
  entity?: EntityOf<Node>,
): ObjectRef<Types, NodePage<Node>> {
  // Pothos cannot infer types from a type parameter.
  const node: ObjectRef<Types, object> = nodeRef;
  const name = `${node.name}Connection`;
  const known = connections.get(name);
  if (known && known.entity !== entity) {
    throw new Error(
      `Conflicting entities for connectionType(${node.name}). Pass the same one to each call.`,
    );
  }
  // The plugin's connection shape is `NodePage` here.
  if (known) return known.connectionRef as ObjectRef<Types, NodePage<Node>>;
  const read = (given: unknown, context: Context, info: GraphQLResolveInfo) =>
    entity && given instanceof NodeReference ? followKey(entity, given.key, context, info) : given;
  const nodeField = {
    description: `The ${nounOf(node.name)}. Null ${entity ? 'if it no longer exists, and null ' : ''}with an error if it could not be read.`,
    // The object of a reference may be gone, which is not an error.
    ...(!entity && { extensions: nullOnlyWithError() }),
  };
  const edgeRef = builder.edgeObject({
    type: node,
    name: `${node.name}Edge`,
    description: `An edge of \`${name}\`: ${withArticle(node.name)} and its cursor.`,
    nodeField,
    fields: (t) => ({
      // Replaces the plugin's resolver, which returns references without reading them.
      ...(entity && {
        node: t.field({
          ...nodeField,
          type: node,
          nullable: true,
          resolve: (edge, _args, context, info) => read(edge.node, context, info) as object,
        }),
      }),
    }),
  });
  const connectionRef = builder.connectionObject(
    {
      type: node,
      name,
      description: `A page of a list of \`${node.name}\` objects.`,
      fields: (t) => ({
        nodes: t.field({
          type: [node],
          nullable: { list: false, items: true },
          description: 'Nodes of the edges, in the same order. Shortcut for `edges { node }`.',
          ...(!entity && { extensions: nullOnlyWithError(1) }),
          // Safe cast: nodes of this type, or objects of its entity.
          resolve: ({ nodes }, _args, context, info) =>
            (nodes.some((one) => one instanceof NodeReference)
              ? nodes.map((one) => read(one, context, info))
              : nodes) as readonly object[],
        }),
        totalCount: t.field({
          type: 'SafeInt',
          nullable: true,
          description:
            'Number of items in the whole list, not just this page. Null if the backend does not count them.',
          resolve: ({ totalCount }) =>
            typeof totalCount === 'function' ? totalCount() : totalCount,
        }),
      }),
    },
    edgeRef,
  );
  connections.set(name, { node: node.name, entity, connectionRef, edgeRef });
  return connectionRef as ObjectRef<Types, NodePage<Node>>;
}

const connections = new Map<
  string,
  Readonly<Record<'entity' | 'connectionRef' | 'edgeRef', unknown>> & { readonly node: string }
>();

export const edgeTypeOf = <Node>(
  connection: ObjectRef<Types, NodePage<Node>>,
): ObjectRef<Types, Edge<Node>> =>
  // Safe cast: has the nodes of the connection.
  connections.get(connection.name)?.edgeRef as ObjectRef<Types, Edge<Node>>;

/** Returns the name of a connection's node type; undefined for other types. */
export const nodeTypeOf = (typename: string): string | undefined => connections.get(typename)?.node;
