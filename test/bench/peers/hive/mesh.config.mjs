/**
 * The supergraph of the backend's own OpenAPI document, which the benchmark writes where this is run.
 */
import { createRenameFieldTransform, defineConfig } from '@graphql-mesh/compose-cli';
import { loadOpenAPISubgraph } from '@omnigraph/openapi';

export const composeConfig = defineConfig({
  subgraphs: [
    {
      sourceHandler: loadOpenAPISubgraph('Content', {
        source: './openapi.json',
        endpoint: '{env.UPSTREAM_URL}',
        operationHeaders: { 'x-api-key': "{context.headers['x-api-key']}" },
        // Otherwise each response is a union with the body of an error.
        ignoreErrorResponses: true,
      }),
      transforms: [
        createRenameFieldTransform(({ fieldName }) =>
          fieldName === 'items' ? 'nodes' : fieldName,
        ),
      ],
    },
  ],
});
