/**
 * @generated SignedSource<<3a123b8bff2431601eb6a06b8c9d8d8c>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ReaderFragment } from 'relay-runtime';
export type AudienceStatus = "archived" | "cancelled" | "draft" | "pending" | "processing" | "published" | "queued" | "%future added value";
import type { FragmentRefs } from "relay-runtime";
export type screen_audiences$data = {
  readonly audiences: {
    readonly edges: ReadonlyArray<{
      readonly node: {
        readonly effectiveName: string;
        readonly id: string;
        readonly person: {
          readonly name: string;
        } | null | undefined;
        readonly versions: {
          readonly nodes: ReadonlyArray<{
            readonly status: AudienceStatus | null | undefined;
            readonly versionNumber: any;
          } | null | undefined>;
        } | null | undefined;
      } | null | undefined;
    }>;
    readonly totalCount: any | null | undefined;
  } | null | undefined;
  readonly id: string;
  readonly " $fragmentType": "screen_audiences";
};
export type screen_audiences$key = {
  readonly " $data"?: screen_audiences$data;
  readonly " $fragmentSpreads": FragmentRefs<"screen_audiences">;
};

import screenPaginationQuery_graphql from './screenPaginationQuery.graphql';

const node: ReaderFragment = (function(){
var v0 = [
  "audiences"
],
v1 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
};
return {
  "argumentDefinitions": [
    {
      "kind": "RootArgument",
      "name": "count"
    },
    {
      "kind": "RootArgument",
      "name": "cursor"
    }
  ],
  "kind": "Fragment",
  "metadata": {
    "connection": [
      {
        "count": "count",
        "cursor": "cursor",
        "direction": "forward",
        "path": (v0/*:: as any*/)
      }
    ],
    "refetch": {
      "connection": {
        "forward": {
          "count": "count",
          "cursor": "cursor"
        },
        "backward": null,
        "path": (v0/*:: as any*/)
      },
      "fragmentPathInResult": [
        "node"
      ],
      "operation": screenPaginationQuery_graphql,
      "identifierInfo": {
        "identifierField": "id",
        "identifierQueryVariableName": "id"
      }
    }
  },
  "name": "screen_audiences",
  "selections": [
    {
      "alias": "audiences",
      "args": null,
      "concreteType": "AudienceConnection",
      "kind": "LinkedField",
      "name": "__screen_audiences_connection",
      "plural": false,
      "selections": [
        {
          "alias": null,
          "args": null,
          "kind": "ScalarField",
          "name": "totalCount",
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "concreteType": "AudienceEdge",
          "kind": "LinkedField",
          "name": "edges",
          "plural": true,
          "selections": [
            {
              "alias": null,
              "args": null,
              "concreteType": "Audience",
              "kind": "LinkedField",
              "name": "node",
              "plural": false,
              "selections": [
                (v1/*:: as any*/),
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "effectiveName",
                  "storageKey": null
                },
                {
                  "alias": null,
                  "args": null,
                  "concreteType": "Person",
                  "kind": "LinkedField",
                  "name": "person",
                  "plural": false,
                  "selections": [
                    {
                      "alias": null,
                      "args": null,
                      "kind": "ScalarField",
                      "name": "name",
                      "storageKey": null
                    }
                  ],
                  "storageKey": null
                },
                {
                  "alias": null,
                  "args": [
                    {
                      "kind": "Literal",
                      "name": "first",
                      "value": 3
                    }
                  ],
                  "concreteType": "AudienceVersionConnection",
                  "kind": "LinkedField",
                  "name": "versions",
                  "plural": false,
                  "selections": [
                    {
                      "alias": null,
                      "args": null,
                      "concreteType": "AudienceVersion",
                      "kind": "LinkedField",
                      "name": "nodes",
                      "plural": true,
                      "selections": [
                        {
                          "alias": null,
                          "args": null,
                          "kind": "ScalarField",
                          "name": "versionNumber",
                          "storageKey": null
                        },
                        {
                          "alias": null,
                          "args": null,
                          "kind": "ScalarField",
                          "name": "status",
                          "storageKey": null
                        }
                      ],
                      "storageKey": null
                    }
                  ],
                  "storageKey": "versions(first:3)"
                },
                {
                  "alias": null,
                  "args": null,
                  "kind": "ScalarField",
                  "name": "__typename",
                  "storageKey": null
                }
              ],
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "cursor",
              "storageKey": null
            }
          ],
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "concreteType": "PageInfo",
          "kind": "LinkedField",
          "name": "pageInfo",
          "plural": false,
          "selections": [
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "endCursor",
              "storageKey": null
            },
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "hasNextPage",
              "storageKey": null
            }
          ],
          "storageKey": null
        }
      ],
      "storageKey": null
    },
    (v1/*:: as any*/)
  ],
  "type": "Page",
  "abstractKey": null
};
})();

(node as any).hash = "a0e163876138385e14190f151de32e7a";

export default node;
