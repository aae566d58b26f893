#!/usr/bin/env bash
# @graphiql/toolkit: `mergeAst`, GraphiQL's "Merge fragments", drops the directives of fragment spreads. A field under
# `...More @include(if: $all)` is then always selected, and the document is invalid, since its variable is unused.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund @graphiql/toolkit@0.12.1 graphql@16.15.0 >/dev/null
cat >repro.mjs <<'EOF2'
import { readFileSync } from 'node:fs';
import { mergeAst } from '@graphiql/toolkit';
import { buildSchema, parse, print, validate } from 'graphql';

const { version } = JSON.parse(readFileSync('node_modules/@graphiql/toolkit/package.json', 'utf8'));
const schema = buildSchema('type Query { page: Page } type Page { id: ID name: String }');
const document = parse(`
  query ($all: Boolean!) { page { id ...More @include(if: $all) } }
  fragment More on Page { name }
`);
const merged = mergeAst(document, schema);
const [fault] = validate(schema, merged);
console.log(`@graphiql/toolkit ${version}; errors of the document before: ${validate(schema, document).length}`);
console.log('expected: name is selected with @include(if: $all)');
console.log(`actual:   ${print(merged).replace(/\s+/g, ' ')}, which is invalid: ${fault?.message}`);
process.exitCode = fault && !print(merged).includes('@include') ? 0 : 1;
EOF2
node repro.mjs
