/**
 * @generated SignedSource<<5bf4338b43556a57e47400bb62c19047>>
 * @relayHash f9b61229e0ff10cb799232c5d17e6ebf
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 04d0f206b7da2ebe820655b0ea69655015f794f3cf145bd5893a7cce5e2a0a25

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
    readonly audienceEdge: {
      readonly node: {
        readonly effectiveName: string;
        readonly id: string;
      } | null | undefined;
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
  "concreteType": "AudienceEdge",
  "kind": "LinkedField",
  "name": "audienceEdge",
  "plural": false,
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "Audience",
      "kind": "LinkedField",
      "name": "node",
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
            "handle": "prependEdge",
            "key": "",
            "kind": "LinkedHandle",
            "name": "audienceEdge",
            "handleArgs": [
              {
                "kind": "Variable",
                "name": "connections",
                "variableName": "connections"
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
    "id": "04d0f206b7da2ebe820655b0ea69655015f794f3cf145bd5893a7cce5e2a0a25",
    "metadata": {},
    "name": "screenCreateMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "2cd4d41a0a7eaa9fb078090373d35610";

export default node;
