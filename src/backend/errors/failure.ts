/** Reports of the backend's failures, without callers' values. */
export interface Failure {
  /** `GET /v0/topics/:topic_id`, or the name of a background task. */
  readonly route: string;
  /** The driver's code, or the name of the error. */
  readonly code: string;
  /** The line of code that threw it. */
  readonly at: string | undefined;
}

/** Without the message: those of the driver contain statements with callers' values. */
export function failureOf(route: string, error: unknown): Failure {
  const root = rootOf(error);
  if (!(root instanceof Error)) return { route, code: typeof root, at: undefined };
  const code = 'code' in root && typeof root.code === 'string' ? root.code : root.name;
  return { route, code, at: /^ +at (.*)$/m.exec(root.stack ?? '')?.[1] };
}

/** Returns the innermost cause, since Drizzle and fetch wrap errors. */
export function rootOf(error: unknown): unknown {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return root;
}
