/**
 * The GraphQL types of a connection: edges with cursors, nodes, page info and a count.
 */
import type { ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { builder, type Types } from '../types/builder.ts';
import type { Context } from '../context.ts';
import type { AnyEntity } from '../entity/entity.ts';
import { followKey } from '../entity/lookahead.ts';
import { anyBuilder } from '../types/field-builder.ts';
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
    description: `A ${node.name} at its place in a list.`,
    fields: (t) => ({
      cursor: t.exposeString('cursor', {
        description: 'Resumes the list after this edge: pass it as `after`. Opaque.',
      }),
      node: anyBuilder(t).field({
        type: node,
        nullable: true,
        description: 'The object at this place.',
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
    description: `A page of a list of ${node.name} objects.`,
    fields: (t) => ({
      edges: t.field({
        type: [edgeRef],
        description: 'The page’s edges, in the order of the list.',
        resolve: ({ edges }) => edges,
      }),
      nodes: anyBuilder(t).field({
        type: [node],
        nullable: { list: false, items: true },
        description: 'The nodes of the edges, in the same order.',
        // What is there needs no resolver.
        ...(entity && { resolve: readAll }),
      }),
      pageInfo: t.expose('pageInfo', {
        type: builder.pageInfoRef(),
        description: 'Whether more pages exist, and where to go on.',
      }),
      totalCount: t.field({
        type: 'SafeInt',
        nullable: true,
        description: 'Items in the whole list; null where the backend does not count.',
        resolve: ({ totalCount }) => (typeof totalCount === 'function' ? totalCount() : totalCount),
      }),
    }),
  });

  return connectionRef;
}

const nodeTypes = new Map<string, string>();

/** The name of the type whose objects a connection holds; undefined for what is no connection. */
export const nodeTypeOf = (typename: string): string | undefined => nodeTypes.get(typename);
