/** The settings that the server writes into GraphiQL's page, as JSON. */
export interface PageSettings {
  /** Audience of introspection; others get neither docs nor completion. */
  readonly introspection: 'on' | 'keys' | 'off';
  /** Audience of plans and call logs. */
  readonly explain: 'on' | 'keys' | 'off';
  /** Whether callers must send a key; false if the gateway has its own. */
  readonly needsKey: boolean;
  /** Hash of the schema, which invalidates browsers' copies. */
  readonly schemaId?: string | undefined;
  /** API key of the sample data; absent with a real backend. */
  readonly apiKey?: string | undefined;
  /** Page id of the sample data; absent with a real backend. */
  readonly pageId?: string | undefined;
  /** A sentence about what replaces a real backend. */
  readonly note?: string | undefined;
}
