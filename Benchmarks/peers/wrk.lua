-- What wrk sends, and what it tells: BODY is a file, TYPE its kind.
wrk.method = "POST"
wrk.headers["Content-Type"] = os.getenv("TYPE")
local file = io.open(os.getenv("BODY"), "rb")
wrk.body = file:read("*a")
file:close()

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"rate":%f,"p50_ms":%f,"p99_ms":%f,"failed":%d}\n',
    summary.requests / summary.duration * 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    errors.connect + errors.read + errors.write + errors.timeout + errors.status))
end
