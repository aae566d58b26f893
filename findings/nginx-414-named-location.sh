#!/usr/bin/env bash
# nginx: with a named location as the error page of 414, a long URL is answered with 500 in HTML.
#
# Expected: 414 with the body of the named location, as for 413 and 494 (headers that are too large).
# Actual: 500 Internal Server Error; the error log says "empty URI in redirect to named location".
# A plain URI as the error page (`error_page 414 /too-long;`) works.
set -euo pipefail
nginx=$(command -v nginx || echo /usr/sbin/nginx)
[ -x "$nginx" ] || { echo "Install Debian's nginx first: apt-get install nginx-light"; exit 2; }
"$nginx" -v
folder=$(mktemp -d)
trap 'kill "$pid" 2>/dev/null || true; rm -rf "$folder"' EXIT
port=$((20000 + RANDOM % 20000))
mkdir "$folder/t"
cat > "$folder/nginx.conf" <<EOF
daemon off; pid $folder/pid; error_log $folder/error.log;
events {}
http {
  access_log off;
  client_body_temp_path $folder/t/1; proxy_temp_path $folder/t/2; fastcgi_temp_path $folder/t/3;
  uwsgi_temp_path $folder/t/4; scgi_temp_path $folder/t/5;
  server {
    listen 127.0.0.1:$port;
    error_page 414 494 @error;
    location / { return 200 fine; }
    location @error { return 200 handled; }
  }
}
EOF
"$nginx" -p "$folder" -c "$folder/nginx.conf" & pid=$!
for _ in $(seq 50); do curl -sf -o /dev/null "http://127.0.0.1:$port/" && break; sleep 0.1; done
long=$(printf 'x%.0s' $(seq 9000))
headers=$(curl -s -H "x-long: $long" "http://127.0.0.1:$port/")
url=$(curl -s -o /dev/null -w '%{http_code}' "http://127.0.0.1:$port/?$long")
echo "long header: expected \"handled\", actual \"$headers\""
echo "long URL: expected 414, actual $url"
[ "$headers" = handled ] && [ "$url" = 500 ]
