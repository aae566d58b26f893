-- Asks with the requests of a file in turn, one a line: key, tab, body. Prints its findings as JSON.
local requests = {}
local turn = 0

function init(args)
  for line in io.lines(args[1]) do
    local key, body = line:match("^([^\t]*)\t(.*)$")
    requests[#requests + 1] = wrk.format("POST", "/graphql", {
      ["content-type"] = "application/json",
      ["accept"] = "application/json",
      ["x-api-key"] = key,
    }, body)
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    'RESULT {"requests":%d,"micros":%d,"bytes":%d,"failures":%d,"p50":%.1f,"p99":%.1f,"p999":%.1f}',
    summary.requests, summary.duration, summary.bytes,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(99), latency:percentile(99.9)))
end
