/** The settings that the server writes into GraphiQL's page, as JSON. */
export interface PageSettings {
  /** Who may ask for the schema; for others there are neither docs nor completion. */
  readonly introspection: 'on' | 'keys' | 'off';
  /** Who gets plans and logs of calls. */
  readonly explain: 'on' | 'keys' | 'off';
  /** False: callers without a key are served with the gateway's own. */
  readonly needsKey: boolean;
  /** Changes with the schema, so that browsers know whether theirs is the newest. */
  readonly schemaId?: string | undefined;
  /** The key of the sample data; absent over a deployment. */
  readonly apiKey?: string | undefined;
  /** A page of the sample data; absent over a deployment. */
  readonly pageId?: string | undefined;
  /** Names of the recordings in place of a backend. */
  readonly replays?: readonly string[] | undefined;
}
