/**
 * The GraphQL types of a connection, by the relay plugin: edges with cursors and page info. Nodes and a count
 * are added.
 */
import type { ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';
import { nullOnlyWithError } from '../entity/requirement.ts';
import type { EntityOf } from '../entity/entity.ts';
import { followKey } from '../entity/lookahead.ts';
import type { Types } from '../entity/schema-shape.ts';
import { builder } from '../schema/builder.ts';
import { NodeReference } from '../types/key.ts';
import type { Edge, NodePage } from '../types/node-page.ts';
import { nounOf, withArticle } from '../types/typename.ts';

/**
 * Makes `<Name>Connection` and `<Name>Edge`; call it once a node type.
 *
 * @param entity what a `NodeReference` among the nodes is read as.
 */
export function connectionType<Node extends object>(
  nodeRef: ObjectRef<Types, Node>,
  entity?: EntityOf<Node>,
): ObjectRef<Types, NodePage<Node>> {
  // Pothos works out no type that is still a parameter.
  const node: ObjectRef<Types, object> = nodeRef;
  const name = `${node.name}Connection`;
  const read = (given: unknown, context: Context, info: GraphQLResolveInfo) =>
    entity && given instanceof NodeReference ? followKey(entity, given.key, context, info) : given;
  const nodeField = {
    description: `The ${nounOf(node.name)}. Null ${entity ? 'when it no longer exists, or ' : ''}with an error when it could not be read.`,
    // A reference may lead to what is gone, which is no error.
    ...(!entity && { extensions: nullOnlyWithError() }),
  };
  const edgeRef = builder.edgeObject({
    type: node,
    name: `${node.name}Edge`,
    description: `Edge of \`${name}\`: ${withArticle(node.name)} and its cursor.`,
    nodeField,
    fields: (t) => ({
      // The plugin's own answers the node as it is: a reference among them is read first.
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
      description: `Connection: one page of a list of \`${node.name}\` objects.`,
      fields: (t) => ({
        nodes: t.field({
          type: [node],
          nullable: { list: false, items: true },
          description: 'Nodes of the edges, in the same order: a shortcut for `edges { node }`.',
          ...(!entity && { extensions: nullOnlyWithError(1) }),
          // They are nodes of this type, and what its entity reads.
          resolve: ({ nodes }, _args, context, info) =>
            (nodes.some((one) => one instanceof NodeReference)
              ? nodes.map((one) => read(one, context, info))
              : nodes) as readonly object[],
        }),
        totalCount: t.field({
          type: 'SafeInt',
          nullable: true,
          description:
            'Number of items in the whole list, beyond this page. Null when the backend does not count them.',
          resolve: ({ totalCount }) =>
            typeof totalCount === 'function' ? totalCount() : totalCount,
        }),
      }),
    },
    edgeRef,
  );
  connections.set(name, { node: node.name, edgeRef });
  // What the plugin calls a connection, a page of nodes is.
  return connectionRef as ObjectRef<Types, NodePage<Node>>;
}

/** Every connection by its name, with the name of its node type. */
const connections = new Map<string, { readonly node: string; readonly edgeRef: unknown }>();

/** The edges of a connection, for fields that answer a single one. */
export const edgeTypeOf = <Node>(
  connection: ObjectRef<Types, NodePage<Node>>,
): ObjectRef<Types, Edge<Node>> =>
  // Its nodes are those of the connection.
  connections.get(connection.name)?.edgeRef as ObjectRef<Types, Edge<Node>>;

/** The name of the node type of a connection; undefined for any other type. */
export const nodeTypeOf = (typename: string): string | undefined => connections.get(typename)?.node;
