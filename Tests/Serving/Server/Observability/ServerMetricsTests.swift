import Foundation
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

@Suite struct ServerMetricsTests {
  private func summary(
    _ method: String = "POST", route: String = "/v2/models/:name/predict", status: Int = 200,
    milliseconds: Int = 3, queueDuration: Duration? = .microseconds(50)
  ) -> CompletedRequest {
    CompletedRequest(
      id: "1", method: method, path: "/x", routePattern: route, status: status, requestBytes: 1,
      responseBytes: 1, duration: .milliseconds(milliseconds), queueDuration: queueDuration)
  }

  private func lines(_ harness: PredictionHarness) throws -> [String] {
    try harness.get("/metrics").text.split(separator: "\n").map(String.init)
  }

  @Test func `Requests are counted by route, method and status`() throws {
    let harness = try PredictionHarness()
    for milliseconds in [1, 3, 20_000] {
      harness.metrics.requestCompleted(summary(milliseconds: milliseconds))
    }
    harness.metrics.requestCompleted(summary(status: 404))
    let lines = try lines(harness)
    let route = "route=\"/v2/models/:name/predict\""
    #expect(
      lines.contains("tensorio_http_requests_total{\(route),method=\"POST\",status=\"200\"} 3"))
    #expect(
      lines.contains("tensorio_http_requests_total{\(route),method=\"POST\",status=\"404\"} 1"))
    let duration = "tensorio_http_request_duration_seconds"
    #expect(lines.contains("\(duration)_bucket{\(route),le=\"0.001\"} 1"))
    #expect(lines.contains("\(duration)_bucket{\(route),le=\"0.005\"} 3"))
    #expect(lines.contains("\(duration)_bucket{\(route),le=\"10.0\"} 3"))
    #expect(lines.contains("\(duration)_bucket{\(route),le=\"+Inf\"} 4"))
    #expect(lines.contains("\(duration)_count{\(route)} 4"))
    #expect(
      lines.contains("tensorio_http_request_queue_duration_seconds_bucket{le=\"0.0001\"} 4"))
  }

  @Test func `Requests that are answered at once do not count as queued`() throws {
    let harness = try PredictionHarness()
    harness.metrics.requestCompleted(summary())
    harness.metrics.requestCompleted(summary(status: 413, queueDuration: nil))
    let lines = try lines(harness)
    #expect(lines.contains("tensorio_http_request_queue_duration_seconds_count 1"))
  }

  @Test func `Clients cannot create an unbounded number of series`() throws {
    let harness = try PredictionHarness()
    let count = try lines(harness).count
    for number in 0..<100 {
      harness.metrics.requestCompleted(summary("M\(number)", route: "", status: 404))
      _ = try harness.predict("unknown\(number)", json: "1")
    }
    #expect(try lines(harness).count - count < 30)
    #expect(
      try lines(harness).contains(
        #"tensorio_http_requests_total{route="other",method="other",status="404"} 100"#))
  }

  @Test func `Stage durations and model states are reported`() throws {
    let harness = try PredictionHarness()
    _ = try harness.predict("pair", json: #"{"items": [[1, 2], [1]]}"#)
    let lines = try lines(harness)
    for stage in ["image", "input", "run", "output", "total"] {
      #expect(
        lines.contains(
          "tensorio_model_stage_duration_seconds_count{model=\"pair\",stage=\"\(stage)\"} 1"))
    }
    #expect(lines.contains(#"tensorio_item_errors_total{model="pair"} 1"#))
    #expect(lines.contains(#"tensorio_model_state{model="pair",version="1",state="ready"} 1"#))
    #expect(lines.contains(#"tensorio_model_state{model="sum",version="1",state="ready"} 0"#))
    #expect(lines.contains("tensorio_requests_queued 0"))
    #expect(lines.contains { $0.hasPrefix("process_resident_memory_bytes ") })
  }

  @Test func `The version, the start and the descriptors of the server are reported`() throws {
    let harness = try PredictionHarness()
    let lines = try lines(harness)
    #expect(lines.contains(#"tensorio_build_info{version="1.2.3"} 1"#))
    func value(_ name: String) -> Double? {
      lines.first { $0.hasPrefix("\(name) ") }.flatMap { Double($0.dropFirst(name.count + 1)) }
    }
    let (start, now) = (try #require(value("process_start_time_seconds")), Platform.unixTime)
    #expect(start > 1.6e9 && start <= Double(now + 1))
    let (open, limit) = (value("process_open_fds"), value("process_max_fds"))
    #expect(try #require(open) > 2 && #require(open) <= #require(limit))
  }

  @Test func `The alert rules use metrics that exist and are documented`() throws {
    let harness = try PredictionHarness()
    let workers = ServerMetrics(
      workerProcesses: {
        WorkerProcessStatistics(count: 1, residentBytes: 1, crashes: 0, restarts: 0)
      }, droppedLogLines: { 0 }, memory: MemoryBudget(byteCount: 1))
    let text =
      try harness.get("/metrics").text
      + String(decoding: workers.prometheusText([], ServerStatus()), as: UTF8.self)
      + DriftMetricsTests().exposition()
    let types = text.matches(of: #/# TYPE (\w+) (\w+)/#).map { (String($0.1), $0.2) }
    let samples = Set(
      types.flatMap { name, type in
        type == "histogram" ? ["_sum", "_count", "_bucket"].map { name + $0 } : [name]
      })
    func file(_ path: String) throws -> String {
      try String(contentsOfFile: ProjectFiles.path(path), encoding: .utf8)
    }
    let rules = try file("Deployment/kubernetes/alerts.yaml")
    let used = Set(rules.matches(of: #/\b(tensorio|process|nv)_\w+/#).map { String($0.0) })
    #expect(used.count > 8 && used.subtracting(samples).isEmpty, "\(used.subtracting(samples))")
    let page = try file("Documentation/Monitoring.md")
    for (name, _) in types { #expect(page.contains("`\(name)`"), "\(name)") }
  }

  @Test func `The memory for requests is reported if it is limited`() throws {
    let budget = MemoryBudget(byteCount: 1 << 20)
    let reservation = MemoryReservation(budget)
    try reservation.grow(by: 1000)
    let text = String(
      decoding: ServerMetrics(memory: budget).prometheusText([], ServerStatus()), as: UTF8.self)
    #expect(text.contains("\ntensorio_request_memory_bytes 1000\n"))
    #expect(text.contains("\ntensorio_request_memory_limit_bytes 1048576\n"))
    withExtendedLifetime(reservation) {}
  }

  @Test func `Worker processes are reported if there are any`() throws {
    let metrics = ServerMetrics {
      WorkerProcessStatistics(count: 2, residentBytes: 4096, crashes: 3, restarts: 1)
    }
    let text = String(decoding: metrics.prometheusText([], ServerStatus()), as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(lines.contains("tensorio_worker_processes 2"))
    #expect(lines.contains("tensorio_worker_resident_memory_bytes 4096"))
    #expect(lines.contains("tensorio_worker_crashes_total 3"))
    #expect(lines.contains("tensorio_worker_restarts_total 1"))
    #expect(lines.contains("# TYPE tensorio_worker_restarts_total counter"))
    let without = ServerMetrics().prometheusText([], ServerStatus())
    #expect(!String(decoding: without, as: UTF8.self).contains("tensorio_worker_"))
  }

  @Test func `Every line is a comment or a sample`() throws {
    let harness = try PredictionHarness()
    harness.metrics.requestCompleted(summary(route: "/a\"b\\c\nd"))
    let text = try harness.get("/metrics").text
    #expect(text.contains(#"route="/a\"b\\c\nd""#))
    let sample =
      #/[a-z_]+(\{[a-z]+="([^"\\\n]|\\["\\n])*"(,[a-z]+="([^"\\\n]|\\["\\n])*")*\})? [-+.e\d]+/#
    for line in text.split(separator: "\n") where !line.hasPrefix("# ") {
      #expect(line.wholeMatch(of: sample) != nil, "\(line)")
    }
  }
}
