/** The builder's types, for all that is written with it. */
import type { NodePage } from '../types/node-page.ts';
import type { Context } from '../context.ts';
import type { ScalarTypes } from '../types/scalars.ts';

/** What the builder is told. */
// A type, not an interface: Pothos wants the index signature that only types have implicitly.
export type SchemaShape = {
  Context: Context;
  Scalars: ScalarTypes;
  DefaultFieldNullability: false;
  DefaultNodeNullability: true;
  DefaultEdgesNullability: { list: false; items: false };
  /** What connections have beside edges and page info. */
  Connection: Pick<NodePage<unknown>, 'nodes' | 'totalCount'>;
};

/** The schema's types as Pothos completes them. */
export type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaShape>;
