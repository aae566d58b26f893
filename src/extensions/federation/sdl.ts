/**
 * The subgraph schema as SDL with federation directives, without `node`, `nodes` and `Node`, which a router cannot
 * route by id, and without other directives: those of operations are the router's, those of fields are lost in
 * composition.
 */
import {
  Kind,
  lexicographicSortSchema,
  parse,
  print,
  printSchema,
  type ConstDirectiveNode,
  type DefinitionNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  type ObjectTypeDefinitionNode,
} from 'graphql';
import { findEntity } from '../../graph/entity/entity.ts';

const LINK =
  'extend schema @link(url: "https://specs.apollo.dev/federation/v2.6", import: ["@key", "@shareable", "@tag"])';

/** Types of the Relay specification, shared by subgraphs with connections. */
const SHARED = new Set(['PageInfo']);

/** Tags of root types, by which contracts can exclude their fields. */
const TAGS: Readonly<Record<string, string>> = { Mutation: 'write', Subscription: 'live' };

const OF_NODES = new Set(['Node', 'node', 'nodes']);

export function printSubgraph(schema: GraphQLSchema): string {
  const { definitions } = parse(printSchema(lexicographicSortSchema(schema)), { noLocation: true });
  const composed = definitions
    .filter(isComposed)
    .map((definition) =>
      definition.kind === Kind.OBJECT_TYPE_DEFINITION ? withDirectives(definition) : definition,
    );
  const text = print({ kind: Kind.DOCUMENT, definitions: composed });
  return `${LINK}\n\n${text}\n`;
}

const isComposed = (definition: DefinitionNode): boolean =>
  definition.kind !== Kind.DIRECTIVE_DEFINITION &&
  !(definition.kind === Kind.INTERFACE_TYPE_DEFINITION && isOfNodes(definition));

const isOfNodes = ({ name }: { readonly name: { readonly value: string } }): boolean =>
  OF_NODES.has(name.value);

function withDirectives(type: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode {
  const { fields = [], interfaces = [] } = type;
  const name = type.name.value;
  const entity = findEntity(name);
  const keys = entity ? ['id', entity.key.join(' ')] : [];
  const directives = [
    ...keys.map((key) => `@key(fields: "${key}")`),
    ...(SHARED.has(name) ? ['@shareable'] : []),
  ];
  const tag = TAGS[name];
  const kept = name === 'Query' ? fields.filter((field) => !isOfNodes(field)) : fields;
  return {
    ...type,
    directives: parseDirectives(directives),
    interfaces: interfaces.filter((one) => !isOfNodes(one)),
    fields: tag === undefined ? kept : kept.map((field) => tagged(field, tag)),
  };
}

const tagged = (field: FieldDefinitionNode, tag: string): FieldDefinitionNode => ({
  ...field,
  directives: [...(field.directives ?? []), ...parseDirectives([`@tag(name: "${tag}")`])],
});

function parseDirectives(texts: readonly string[]): readonly ConstDirectiveNode[] {
  const [definition] = parse(`scalar Any ${texts.join(' ')}`, { noLocation: true }).definitions;
  return definition?.kind === Kind.SCALAR_TYPE_DEFINITION ? (definition.directives ?? []) : [];
}
