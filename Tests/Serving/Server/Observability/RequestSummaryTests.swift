import Foundation
import Synchronization
import TensorIOBundle
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// What a server reports about requests that it answered.
@Suite(.hangGuard, .ownThreads) struct RequestSummaryTests {
  /// A server with the models of the harness.
  private final class Server {
    let log = RequestRecorder()
    let server: HTTPServer

    init(traceRatio: Double = 0) throws {
      var options = PlatformOptions()
      options.defaultModel = "tokens"
      let harness = try PredictionHarness(platformOptions: options)
      var configuration = HTTPServer.Configuration(port: 0, workerThreads: 2)
      configuration.traceRatio = traceRatio
      configuration.grpc = HTTPServer.GRPCConfiguration(
        try HTTP2Library.standard, harness.grpcServices)
      server = try HTTPServer(configuration, router: harness.router, observer: log)
      Thread.detachNewThread { [server] in server.run() }
    }

    deinit { server.stopNow() }

    /// Sends a request and returns its summary.
    func post(_ path: String, json: String) async throws -> CompletedRequest {
      let count = log.all.count
      let client = try RawHTTPClient(port: server.port)
      client.post(path, json: json)
      _ = try client.response()
      return try await lastSummary(after: count)
    }

    /// Returns the last summary once there are more than `count`.
    func lastSummary(after count: Int = 0) async throws -> CompletedRequest {
      try await waitUntil { [log] in log.all.count > count }
      return try #require(log.all.last)
    }
  }

  @Test(
    arguments: [
      (
        "/v2/models/tokens/infer",
        #"{"inputs": [{"name": "x", "shape": [2, 1], "datatype": "INT32", "data": [1, 2]}]}"#
      ),
      ("/v1/models/tokens:predict", #"{"instances": [[1]]}"#),
      ("/invocations", #"{"instances": [[1]]}"#),
    ])
  func `The trace of a request has its run`(path: String, json: String) async throws {
    let summary = try await Server(traceRatio: 1).post(path, json: json)
    let names = Span.spans(of: summary).dropFirst().map(\.name)
    #expect(names.starts(with: ["queue", "preprocess", "infer", "postprocess"]), "\(names)")
  }

  @Test(arguments: ["/v2/health/live", "/v2/health/ready", "/metrics", "/ping"])
  func `Probes are not traced`(path: String) async throws {
    let server = try Server(traceRatio: 1)
    let client = try RawHTTPClient(port: server.server.port)
    client.get(path)
    _ = try client.response()
    let summary = try await server.lastSummary()
    let exporter = try #require(SpanExporter(endpoint: "http://127.0.0.1:9", version: "1") { _ in })
    exporter.requestCompleted(summary)
    #expect(exporter.pendingSpanCount == 0)
    let other = try await server.post("/invocations", json: "{}")
    exporter.requestCompleted(other)
    #expect(exporter.pendingSpanCount == 2)
  }

  @Test func `A request without a model in its path names the default model`() async throws {
    let server = try Server()
    let summary = try await server.post("/invocations", json: #"{"instances": [[1]]}"#)
    #expect(summary.modelName == "tokens" && summary.error == nil)
  }

  @Test(arguments: ["failing", "crashing"])
  func `A failure of the server has a reason for the log only`(model: String) async throws {
    let server = try Server()
    let summary = try await server.post("/v2/models/\(model)/predict", json: "[1, 2]")
    #expect(summary.modelName == model)
    let error = try #require(summary.error)
    #expect(error.logReason?.contains("/secret") == true)
    #expect(!error.message.contains("/secret"))
  }

  @Test func `An error of the client has a code`() async throws {
    let server = try Server()
    let summary = try await server.post("/v2/models/tokens/infer", json: "{")
    #expect(summary.error?.code == "invalid-json" && summary.error?.logReason == nil)
    #expect(summary.modelName == "tokens")
  }

  @Test func `A malformed request has a reason`() async throws {
    let server = try Server()
    let client = try RawHTTPClient(port: server.server.port)
    client.send("GET / HTTP/1.1\r\n\r\n")
    let message = try JSONTree(try client.response().text)["error"]?.string
    let summary = try await server.lastSummary()
    #expect(summary.error?.code == "malformed-request")
    #expect(summary.error?.logReason == message && message != nil)
  }

  @Test(arguments: [nil, "gzip"]) func `A call names its model`(encoding: String?) async throws {
    let server = try Server()
    let client = try HTTP2TestClient(port: server.server.port)
    let message = WireWriter {
      $0.text(1, "tokens")
      $0.message(5) {
        $0.text(1, "x")
        $0.text(2, "INT32")
        $0.bytes(3, [1, 1])
      }
      $0.bytes(7, [1, 0, 0, 0])
    }.bytes
    let path = "/inference.GRPCInferenceService/ModelInfer"
    if let encoding {
      let bytes = try #require(ContentCoding(rawValue: encoding)?.compress(message))
      let stream = try client.begin(path, [("grpc-encoding", encoding)])
      client.send(
        [1] + GRPCMessage.prefix(length: bytes.count).dropFirst() + bytes, stream, ends: true)
      #expect(try client.response(of: stream).status == 0)
    } else {
      #expect(try client.call(path, message).status == 0)
    }
    #expect(try await server.lastSummary().modelName == "tokens")
  }

  @Test func `A malformed message has a reason`() async throws {
    let server = try Server()
    let client = try HTTP2TestClient(port: server.server.port)
    #expect(try client.call("/inference.GRPCInferenceService/ModelInfer", [0x0A, 200]).status == 3)
    let summary = try await server.lastSummary()
    #expect(summary.error?.code == "malformed-message" && summary.error?.logReason != nil)
  }
}
