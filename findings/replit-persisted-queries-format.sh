#!/usr/bin/env bash
# @replit/graphql-codegen-persisted-queries: its manifest has the name of Apollo's format, but not its form.
#
# Version 1 of apollo-persisted-query-manifest has a list of operations, each with an `id`. The plugin writes a map by
# id under the same name and version.
set -euo pipefail
VERSION=0.1.2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund --legacy-peer-deps \
  "@replit/graphql-codegen-persisted-queries@$VERSION" graphql@16.15.0 @graphql-codegen/plugin-helpers@5.1.1
cat > finding.cjs <<'JS'
const { plugin } = require('@replit/graphql-codegen-persisted-queries');
const { buildSchema, parse } = require('graphql');

(async () => {
  const documents = [{ location: 'version.graphql', document: parse('query Version { version }') }];
  const written = await plugin(buildSchema('type Query { version: String }'), documents, { output: 'server' });
  const { format, version, operations } = JSON.parse(written.content ?? written);
  console.log(`format: ${format}, version ${version}`);
  console.log(`expected: a list of operations\nactual:   ${Array.isArray(operations) ? 'a list' : 'a map by id'}`);
  process.exit(format === 'apollo-persisted-query-manifest' && !Array.isArray(operations) ? 0 : 1);
})();
JS
echo "@replit/graphql-codegen-persisted-queries $VERSION"
node finding.cjs
