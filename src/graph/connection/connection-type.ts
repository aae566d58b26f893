/**
 * The GraphQL types of a connection: edges with cursors, nodes, page info and a count.
 */
import type { ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { builder, type Types } from '../types/builder.ts';
import type { Context } from '../context.ts';
import type { AnyEntity } from '../entity/entity.ts';
import { followKey } from '../entity/lookahead.ts';
import { nullOnlyWithError } from '../types/semantic-non-null.ts';
import { anyBuilder } from '../types/field-builder.ts';
import { nounOf, withArticle } from '../types/typename.ts';
import { NodeReference, type Edge, type NodePage } from './node-page.ts';

/**
 * Makes `<Name>Connection` and `<Name>Edge`; call it once a node type.
 *
 * @param entity what a `NodeReference` among the nodes is read as.
 */
export function connectionType<Node extends object>(
  node: ObjectRef<Types, Node>,
  entity?: AnyEntity & { readonly ref: ObjectRef<Types, Node> },
): ObjectRef<Types, NodePage<Node>> {
  const edgeRef = builder.objectRef<Edge<Node>>(`${node.name}Edge`);
  const connectionRef = builder.objectRef<NodePage<Node>>(`${node.name}Connection`);
  nodeTypes.set(connectionRef.name, node.name);
  edgeRefs.set(connectionRef, edgeRef);

  const read = (node: unknown, context: Context, info: GraphQLResolveInfo) =>
    entity && node instanceof NodeReference ? followKey(entity, node.key, context, info) : node;
  const readAll = (
    { nodes }: NodePage<unknown>,
    _args: object,
    context: Context,
    info: GraphQLResolveInfo,
  ) =>
    nodes.some((node) => node instanceof NodeReference)
      ? nodes.map((node) => read(node, context, info))
      : nodes;

  builder.objectType(edgeRef, {
    description: `Edge of \`${node.name}Connection\`: ${withArticle(node.name)} and its cursor.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description:
          'Opaque cursor of this edge. Pass it as `after` to continue the list after it.',
      }),
      node: anyBuilder(t).field({
        type: node,
        nullable: true,
        description: `The ${nounOf(node.name)}. Null ${entity ? 'when it no longer exists, or ' : ''}with an error when it could not be read.`,
        // A reference may lead to what is gone, which is no error.
        ...(!entity && { extensions: nullOnlyWithError() }),
        resolve: (
          { node }: Edge<unknown>,
          _args: object,
          context: Context,
          info: GraphQLResolveInfo,
        ) => read(node, context, info),
      }),
    }),
  });

  builder.objectType(connectionRef, {
    description: `Connection: one page of a list of \`${node.name}\` objects.`,
    fields: (t) => ({
      edges: t.field({
        type: [edgeRef],
        description: 'Edges of the page, in the order of the list.',
        resolve: ({ edges }) => edges,
      }),
      nodes: anyBuilder(t).field({
        type: [node],
        nullable: { list: false, items: true },
        description: 'Nodes of the edges, in the same order: a shortcut for `edges { node }`.',
        // Nodes that are there need no resolver.
        ...(entity ? { resolve: readAll } : { extensions: nullOnlyWithError([1]) }),
      }),
      pageInfo: t.expose('pageInfo', {
        type: builder.pageInfoRef(),
        description: 'Whether there are more pages, and the cursors that lead to them.',
      }),
      totalCount: t.field({
        type: 'SafeInt',
        nullable: true,
        description:
          'Number of items in the whole list, beyond this page. Null when the backend does not count them.',
        resolve: ({ totalCount }) => (typeof totalCount === 'function' ? totalCount() : totalCount),
      }),
    }),
  });

  return connectionRef;
}

/** Of any connection: each edge's node is what its connection says. */
const edgeRefs = new Map<unknown, unknown>();

/** The edges of a connection, for fields that answer a single one. */
export const edgeTypeOf = <Node>(
  connection: ObjectRef<Types, NodePage<Node>>,
): ObjectRef<Types, Edge<Node>> => edgeRefs.get(connection) as ObjectRef<Types, Edge<Node>>;

const nodeTypes = new Map<string, string>();

/** The name of the node type of a connection; undefined for any other type. */
export const nodeTypeOf = (typename: string): string | undefined => nodeTypes.get(typename);
