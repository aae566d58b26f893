#!/usr/bin/env bash
# @remix-run/multipart-parser: a body that begins with CRLF, an empty preamble, is rejected.
#
# RFC 2046, section 5.1.1: multipart-body := [preamble CRLF] dash-boundary …; preamble := discard-text, which may be empty.
# Apollo Router and the RFC of incremental delivery over HTTP begin their responses so.
# Expected: one part. Actual: MultipartParseError "Invalid multipart stream: missing initial boundary".
set -euo pipefail
VERSION=0.16.3
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y > /dev/null
npm install --silent --no-audit --no-fund "@remix-run/multipart-parser@$VERSION" 2> /dev/null
cat > try.mjs <<'EOF'
import { parseMultipart } from '@remix-run/multipart-parser';
const part = '--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n';
const parse = (body) => {
  try {
    return [...parseMultipart(new TextEncoder().encode(body), { boundary: 'b' })].map(({ text }) => text).join();
  } catch (error) {
    return error.message;
  }
};
const [plain, preamble] = [parse(part), parse(`\r\n${part}`)];
console.log(`without a preamble: expected "1", actual "${plain}"`);
console.log(`with an empty preamble: expected "1", actual "${preamble}"`);
process.exit(plain === '1' && preamble.includes('missing initial boundary') ? 0 : 1);
EOF
echo "@remix-run/multipart-parser $VERSION, node $(node --version)"
node try.mjs
