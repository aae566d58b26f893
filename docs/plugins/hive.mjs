/** Reports to GraphQL Hive which parts of the schema each app uses. */
import { useHive } from '@graphql-hive/yoga';

const { HIVE_TOKEN: token, HIVE_TARGET: target, HIVE_USAGE_URL: usageEndpoint } = process.env;
if (!token) throw new Error('HIVE_TOKEN must be set to an access token of GraphQL Hive');

export default [
  useHive({
    enabled: true,
    token,
    // The app and version are those of the trusted document's manifest.
    usage: {
      ...(target && { target }),
      clientInfo: ({ record: { app } }) => app && { name: app.app, version: app.version },
    },
    ...(usageEndpoint && {
      selfHosting: { usageEndpoint, graphqlEndpoint: usageEndpoint, applicationUrl: usageEndpoint },
    }),
  }),
];
