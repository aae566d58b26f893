#!/usr/bin/env bash
# Apollo Client: relayStylePagination overwrites the cursor of a streamed list's last edge with that of the whole page.
#
# With `@stream`, the first part of a response has some edges and the `pageInfo` of the whole page. Its `endCursor` is
# written over the cursor of the last edge so far. The edges of later parts are then not found behind it: the next page
# is placed after that edge, and the rows between are gone.
set -euo pipefail
VERSION=4.3.8
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund "@apollo/client@$VERSION" graphql@16.15.0 rxjs@7.8.2 react@19.3.1 react-dom@19.3.1
cat > finding.mjs <<'JS'
import { gql, InMemoryCache } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';

const cache = new InMemoryCache({
  typePolicies: { Query: { fields: { rows: relayStylePagination() } } },
});
const query = gql`query ($after: String) {
  rows(first: 5, after: $after) { edges { cursor node { id } } pageInfo { endCursor hasNextPage } }
}`;
const page = (ids, endCursor) => ({
  rows: {
    __typename: 'RowConnection',
    edges: ids.map((id) => ({ __typename: 'RowEdge', cursor: id, node: { __typename: 'Row', id } })),
    pageInfo: { __typename: 'PageInfo', endCursor, hasNextPage: true },
  },
});
// The first part of a page of five rows, streamed with `initialCount: 2`.
cache.writeQuery({ query, data: page(['a', 'b'], 'e') });
const cursors = cache.readQuery({ query }).rows.edges.map(({ cursor }) => cursor);
console.log('expected: a, b\nactual:  ', cursors.join(', '));
process.exit(cursors.join() === 'a,e' ? 0 : 1);
JS
echo "@apollo/client $VERSION"
node finding.mjs
