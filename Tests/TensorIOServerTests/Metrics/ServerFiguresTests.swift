import TensorIOServer
import Testing

@Suite struct ServerFiguresTests {
  private func summary(
    _ method: String = "POST", route: String = "/v2/models/:name/predict", status: Int = 200,
    milliseconds: Int = 3
  ) -> CompletedRequest {
    CompletedRequest(
      id: "1", method: method, path: "/x", routePattern: route, status: status, requestBytes: 1,
      responseBytes: 1, duration: .milliseconds(milliseconds), queueDuration: .microseconds(50))
  }

  private func lines(_ shop: Shop) throws -> [String] {
    try shop.get("/metrics").text.split(separator: "\n").map(String.init)
  }

  @Test func `requests are counted by what they were`() throws {
    let shop = try Shop()
    for milliseconds in [1, 3, 20_000] {
      shop.figures.requestCompleted(summary(milliseconds: milliseconds))
    }
    shop.figures.requestCompleted(summary(status: 404))
    let lines = try lines(shop)
    let route = "route=\"/v2/models/:name/predict\""
    #expect(lines.contains("tensorio_requests_total{\(route),method=\"POST\",status=\"200\"} 3"))
    #expect(lines.contains("tensorio_requests_total{\(route),method=\"POST\",status=\"404\"} 1"))
    #expect(lines.contains("tensorio_request_seconds_bucket{\(route),le=\"0.001\"} 1"))
    #expect(lines.contains("tensorio_request_seconds_bucket{\(route),le=\"0.005\"} 3"))
    #expect(lines.contains("tensorio_request_seconds_bucket{\(route),le=\"10.0\"} 3"))
    #expect(lines.contains("tensorio_request_seconds_bucket{\(route),le=\"+Inf\"} 4"))
    #expect(lines.contains("tensorio_request_seconds_count{\(route)} 4"))
    #expect(lines.contains("tensorio_wait_seconds_bucket{le=\"0.0001\"} 4"))
  }

  @Test func `no client makes the figures many`() throws {
    let shop = try Shop()
    let count = try lines(shop).count
    for number in 0..<100 {
      shop.figures.requestCompleted(summary("M\(number)", route: "", status: 404))
      _ = try shop.ask("unknown\(number)", json: "1")
    }
    #expect(try lines(shop).count - count < 30)
    #expect(
      try lines(shop).contains(
        #"tensorio_requests_total{route="other",method="other",status="404"} 100"#))
  }

  @Test func `runs are told stage by stage, and models by their state`() throws {
    let shop = try Shop()
    _ = try shop.ask("pair", json: #"{"items": [[1, 2], [1]]}"#)
    let lines = try lines(shop)
    for stage in ["picture", "input", "run", "output", "total"] {
      #expect(
        lines.contains("tensorio_stage_seconds_count{model=\"pair\",stage=\"\(stage)\"} 1"))
    }
    #expect(lines.contains(#"tensorio_failed_items_total{model="pair"} 1"#))
    #expect(lines.contains(#"tensorio_model_state{model="pair",state="open"} 1"#))
    #expect(lines.contains(#"tensorio_model_state{model="sum",state="open"} 0"#))
    #expect(lines.contains("tensorio_queue_depth 0"))
    #expect(lines.contains { $0.hasPrefix("process_resident_memory_bytes ") })
  }

  @Test func `every line is a comment or a figure`() throws {
    let shop = try Shop()
    shop.figures.requestCompleted(summary(route: "/a\"b\\c\nd"))
    let text = try shop.get("/metrics").text
    #expect(text.contains(#"route="/a\"b\\c\nd""#))
    let figure =
      #/[a-z_]+(\{[a-z]+="([^"\\\n]|\\["\\n])*"(,[a-z]+="([^"\\\n]|\\["\\n])*")*\})? [-+.e\d]+/#
    for line in text.split(separator: "\n") where !line.hasPrefix("# ") {
      #expect(line.wholeMatch(of: figure) != nil, "\(line)")
    }
  }
}
