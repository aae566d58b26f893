/** A version of an app that has a manifest of trusted documents. */
export interface AppVersion {
  readonly app: string;
  readonly version: string;
}

/** Apps without a manifest of trusted documents. */
export const OTHER_APP: AppVersion = { app: 'other', version: 'other' };
