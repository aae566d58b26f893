/**
 * The GraphQL types of a connection: edges with cursors, nodes, page info and a count.
 */
import type { ObjectRef } from '@pothos/core';
import type { GraphQLResolveInfo } from 'graphql';
import { builder, type Types } from '../types/builder.ts';
import type { Context } from '../context.ts';
import type { Entity, KeyOf } from '../entity/entity.ts';
import { followReference } from '../entity/lookahead.ts';
import { nounOf, withArticle } from '../types/typename.ts';
import { NodeReference, type Connection, type Edge } from './node-page.ts';

/**
 * Makes `<Name>Connection` and `<Name>Edge`; call it once a node type.
 *
 * @param entity what a `NodeReference` among the nodes is read as.
 */
export function connectionType<Node extends object, Name extends keyof Node & string>(
  node: ObjectRef<Types, Node>,
  entity?: Entity<Node, Name>,
): ObjectRef<Types, Connection<Node>> {
  const edgeRef = builder.objectRef<Edge<Node>>(`${node.name}Edge`);
  const connectionRef = builder.objectRef<Connection<Node>>(`${node.name}Connection`);

  const read = (node: unknown, context: Context, info: GraphQLResolveInfo) =>
    entity && node instanceof NodeReference
      ? followReference(entity, node.key as KeyOf<Name>, context, info)
      : node;
  const readAll = (
    { nodes }: Connection<unknown>,
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
      node: t.field({
        type: node,
        nullable: true,
        description: `The ${nounOf(node.name)}. Null when it could not be read.`,
        resolve: ({ node }, _args, context, info) => read(node, context, info) as never,
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
      nodes: t.field({
        type: [node],
        nullable: { list: false, items: true },
        description: 'Nodes of the edges, in the same order: a shortcut for `edges { node }`.',
        // What is there needs no resolver. Nodes may be promises and errors, which Pothos can't tell
        // for a type yet unknown.
        resolve: (entity && readAll) as never,
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
