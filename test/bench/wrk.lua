-- Asks with the requests of a file in turn, one a line: key, tab, body. Prints its findings as JSON.
-- A name in a body that stands for a new one is replaced in each request by one of the same length.
local requests = {}
local turn = 0
local asked = 0
local new
local began = os.time()

function init(args)
  new = args[2]
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
  local at, last = requests[turn]:find(new, 1, true)
  if not at then return requests[turn] end
  asked = asked + 1
  local name = string.format("N%d%06d", began, asked % 1000000)
  return requests[turn]:sub(1, at - 1) .. name .. requests[turn]:sub(last + 1)
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    'RESULT {"requests":%d,"micros":%d,"bytes":%d,"failures":%d,"p50":%.1f,"p90":%.1f,"p99":%.1f,"p999":%.1f}',
    summary.requests, summary.duration, summary.bytes,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout,
    latency:percentile(50), latency:percentile(90), latency:percentile(99), latency:percentile(99.9)))
end
