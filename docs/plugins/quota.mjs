import { GraphQLError } from 'graphql';

const WINDOW_MS = 60_000;

/** @param {{ perMinute: number, now?: () => number }} options */
export const useQuota = ({ perMinute, now = Date.now }) => {
  const used = new Map();
  return {
    // After parsing, before anything is validated or called, over every transport.
    onValidate({ context: { caller } }) {
      const window = Math.floor(now() / WINDOW_MS);
      const known = used.get(caller.apiKey);
      const count = known?.window === window ? known.count + 1 : 1;
      used.set(caller.apiKey, { window, count });
      if (count <= perMinute) return;
      throw new GraphQLError(
        `Limit: ${perMinute} operations per minute and API key. Retry later.`,
        {
          extensions: {
            code: 'QUOTA_EXCEEDED',
            http: { status: 429, headers: { 'retry-after': '60' } },
          },
        },
      );
    },
  };
};

export default [useQuota({ perMinute: 60 })];
