/**
 * @generated SignedSource<<27f5d899191a627cc55dc04e027772e4>>
 * @relayHash 1c1daf238d929903a70dedc0fbbdccfe
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 89622067e2c0407773c26aeefb55689e731f7e0e9d1bfd3b3142a01922c056ed

import type { ConcreteRequest } from 'relay-runtime';
export type PublishBehavior = "draft" | "publish" | "%future added value";
export type CreateAudienceInput = {
  actionFormIdOverride?: string | null | undefined;
  actionFormInstructionsOverride?: string | null | undefined;
  actionUrlOverride?: string | null | undefined;
  customName?: string | null | undefined;
  metadataOverride?: PageMetadataInput | null | undefined;
  pageId: string;
  publishBehavior?: PublishBehavior | null | undefined;
  supplementaryContext?: string | null | undefined;
};
export type PageMetadataInput = {
  author?: string | null | undefined;
  canonicalUrl?: string | null | undefined;
  description?: string | null | undefined;
  keywords?: ReadonlyArray<string> | null | undefined;
  ogDescription?: string | null | undefined;
  ogImageAlt?: string | null | undefined;
  ogSiteName?: string | null | undefined;
  ogTitle?: string | null | undefined;
  ogUrl?: string | null | undefined;
  robots?: ReadonlyArray<string> | null | undefined;
  themeColor?: string | null | undefined;
  title?: string | null | undefined;
  twitterCreator?: string | null | undefined;
  twitterDescription?: string | null | undefined;
  twitterImageAlt?: string | null | undefined;
  twitterSite?: string | null | undefined;
  twitterTitle?: string | null | undefined;
};
export type screenCreateMutation$variables = {
  connections: ReadonlyArray<string>;
  input: CreateAudienceInput;
};
export type screenCreateMutation$data = {
  readonly createAudience: {
    readonly audience: {
      readonly effectiveName: string;
      readonly id: string;
    } | null | undefined;
    readonly userErrors: ReadonlyArray<{
      readonly message: string;
    }>;
  } | null | undefined;
};
export type screenCreateMutation = {
  response: screenCreateMutation$data;
  variables: screenCreateMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "connections"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "input"
},
v2 = [
  {
    "kind": "Variable",
    "name": "input",
    "variableName": "input"
  }
],
v3 = {
  "alias": null,
  "args": null,
  "concreteType": "Audience",
  "kind": "LinkedField",
  "name": "audience",
  "plural": false,
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "id",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "effectiveName",
      "storageKey": null
    }
  ],
  "storageKey": null
},
v4 = {
  "alias": null,
  "args": null,
  "concreteType": "UserError",
  "kind": "LinkedField",
  "name": "userErrors",
  "plural": true,
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "message",
      "storageKey": null
    }
  ],
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": [
      (v0/*:: as any*/),
      (v1/*:: as any*/)
    ],
    "kind": "Fragment",
    "metadata": null,
    "name": "screenCreateMutation",
    "selections": [
      {
        "alias": null,
        "args": (v2/*:: as any*/),
        "concreteType": "CreateAudiencePayload",
        "kind": "LinkedField",
        "name": "createAudience",
        "plural": false,
        "selections": [
          (v3/*:: as any*/),
          (v4/*:: as any*/)
        ],
        "storageKey": null
      }
    ],
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [
      (v1/*:: as any*/),
      (v0/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "screenCreateMutation",
    "selections": [
      {
        "alias": null,
        "args": (v2/*:: as any*/),
        "concreteType": "CreateAudiencePayload",
        "kind": "LinkedField",
        "name": "createAudience",
        "plural": false,
        "selections": [
          (v3/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "filters": null,
            "handle": "prependNode",
            "key": "",
            "kind": "LinkedHandle",
            "name": "audience",
            "handleArgs": [
              {
                "kind": "Variable",
                "name": "connections",
                "variableName": "connections"
              },
              {
                "kind": "Literal",
                "name": "edgeTypeName",
                "value": "AudienceEdge"
              }
            ]
          },
          (v4/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "89622067e2c0407773c26aeefb55689e731f7e0e9d1bfd3b3142a01922c056ed",
    "metadata": {},
    "name": "screenCreateMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "1539ef7737a13e800c138f8f313709bb";

export default node;
