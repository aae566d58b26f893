/** One version of an app, as manifests of trusted documents name it. */
export interface AppVersion {
  readonly app: string;
  readonly version: string;
}

/** Apps that no manifest of trusted documents names. */
export const OTHER_APP: AppVersion = { app: 'other', version: 'other' };
