/** Type parameters of the schema builder. */
import type { NodePage } from '../types/node-page.ts';
import type { Context } from '../context.ts';
import type { ScalarTypes } from '../types/scalars.ts';

/** Type parameters as given to the builder. */
// A type, since interfaces lack the implicit index signature that Pothos requires.
export type SchemaShape = {
  Context: Context;
  Scalars: ScalarTypes;
  DefaultFieldNullability: false;
  DefaultNodeNullability: true;
  DefaultEdgesNullability: { list: false; items: false };
  /** Additional fields of connections. */
  Connection: Pick<NodePage<unknown>, 'nodes' | 'totalCount'>;
};

/** Type parameters as completed by Pothos. */
export type Types = PothosSchemaTypes.ExtendDefaultTypes<SchemaShape>;
