#!/usr/bin/env bash
# haproxy: `http-error status 400` does not apply to requests whose headers exceed the buffer.
#
# Expected: the configured response for every 400 that haproxy makes itself, here a JSON body.
# Actual: a request with headers above tune.bufsize gets the built-in HTML page; a `deny deny_status 400` of the same
# frontend gets the configured response.
set -euo pipefail
haproxy=$(command -v haproxy || echo /usr/sbin/haproxy)
[ -x "$haproxy" ] || { echo "Install Debian's haproxy first: apt-get install haproxy"; exit 2; }
"$haproxy" -v | sed -n 1p
folder=$(mktemp -d)
trap 'kill "$pid" 2>/dev/null || true; rm -rf "$folder"' EXIT
port=$((20000 + RANDOM % 20000))
cat > "$folder/haproxy.cfg" <<EOF
defaults
  mode http
  timeout connect 1s
  timeout client 10s
  timeout server 10s
  http-error status 400 content-type application/json string '{"error":"ours"}'
frontend callers
  bind 127.0.0.1:$port
  http-request deny deny_status 400 if { path /denied }
  http-request return status 200 content-type text/plain string fine
EOF
"$haproxy" -db -f "$folder/haproxy.cfg" & pid=$!
for _ in $(seq 50); do curl -sf -o /dev/null "http://127.0.0.1:$port/" && break; sleep 0.1; done
long=$(printf 'x%.0s' $(seq 20000))
type_of() { curl -s -o /dev/null -w '%{http_code} %{content_type}' "$@"; }
denied=$(type_of "http://127.0.0.1:$port/denied")
large=$(type_of -H "x-long: $long" "http://127.0.0.1:$port/")
echo "denied: expected \"400 application/json\", actual \"$denied\""
echo "headers of 20 kB: expected \"400 application/json\", actual \"$large\""
[ "$denied" = '400 application/json' ] && [ "$large" = '400 text/html' ]
