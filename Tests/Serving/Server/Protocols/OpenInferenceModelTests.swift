import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// The routes of the Open Inference Protocol other than inference.
@Suite struct OpenInferenceModelTests {
  @Test("the configuration has the types and dimensions of one item")
  func configuration() throws {
    let config = try PredictionHarness().get("/v2/models/sum/config").json()
    #expect(config["max_batch_size"]?.number == 1024)
    #expect(config["input"]?[0]?["data_type"]?.string == "TYPE_FP32")
    #expect(config["input"]?[0]?["dims"]?.numbers == [2])
    let image = try PredictionHarness().get("/v2/models/image/config").json()
    #expect(image["input"]?[0]?["format"]?.string == "FORMAT_NHWC")
    #expect(image["output"]?[0]?["label_filename"]?.string == "labels.txt")
  }

  @Test("statistics count inferences")
  func statistics() throws {
    let harness = try PredictionHarness()
    let input = #"{"name": "x", "shape": [3, 1], "datatype": "INT32", "data": [1, 2, 3]}"#
    let body = #"{"inputs": [\#(input)]}"#
    #expect(try harness.post("/v2/models/tokens/infer", json: body).status == .ok)
    let stats = try harness.get("/v2/models/tokens/stats").json()["model_stats"]
    #expect(stats?.array?.count == 1)
    #expect(stats?[0]?["inference_count"]?.number == 3)
    #expect(stats?[0]?["inference_stats"]?["success"]?["count"]?.number == 3)
    #expect(try harness.get("/v2/models/stats").json()["model_stats"]?.array?.count == 1)
    #expect(try harness.get("/v2/models/no/stats").status == .badRequest)
  }

  @Test("a model can be unloaded and loaded again")
  func repository() throws {
    let harness = try PredictionHarness(isAdministrator: true)
    func state() throws -> String? {
      try harness.post("/v2/repository/index", []).json().array?
        .first { $0["name"]?.string == "pair" }?["state"]?.string
    }
    #expect(try state() == "READY")
    #expect(try harness.get("/v2/models/pair/ready").status == .ok)
    #expect(try harness.post("/v2/repository/models/pair/unload", []).status == .ok)
    #expect(try state() == "UNAVAILABLE")
    #expect(try harness.get("/v2/models/pair/ready").status == .badRequest)
    let response = try harness.get("/v2/models/pair")
    #expect(try response.json()["error"]?.string?.contains("has no available versions") == true)
    #expect(try harness.post("/v2/repository/models/pair/load", json: "{}").status == .ok)
    #expect(try state() == "READY")
    #expect(try harness.post("/v2/repository/models/no/load", []).status == .notFound)
    #expect(try harness.post("/v2/repository/models/no/unload", []).status == .notFound)
  }

  @Test("a model that cannot be used is not ready, with the reason")
  func readiness() throws {
    let harness = try PredictionHarness()
    func ready(_ name: String) throws -> HTTPResponse {
      try harness.get("/v2/models/\(name)/ready")
    }
    #expect(try ready("crashing").status == .ok)
    for _ in 0..<CircuitBreaker.maxFailures { _ = try harness.predict("crashing", json: "[1, 2]") }
    let suspended = try ready("crashing")
    #expect(suspended.status == .serviceUnavailable)
    #expect(try suspended.code() == "model-suspended")
    #expect(suspended.headers["Retry-After"] == "5")
    let method = "/inference.GRPCInferenceService/ModelReady"
    let model = WireWriter { $0.text(1, "crashing") }.bytes
    #expect(try harness.call(method, model).body.isEmpty)
    let status = try harness.get("/v1/models/crashing").json()
    #expect(status["ready"]?.bool == false)
    let broken = try ready("broken")
    #expect(broken.status == .serviceUnavailable)
    #expect(try broken.code() == "model-not-ready")
    #expect(broken.error?.message.hasPrefix("model 'broken' cannot be loaded: ") == true)
    #expect(try ready("nothing").status == .badRequest)
  }

  @Test("the options of a load change what they name")
  func loadOptions() throws {
    let harness = try PredictionHarness(isAdministrator: true)
    let load = "/v2/repository/models/tokens/load"
    let config = #"{\"max_batch_size\": \"4\"}"#
    #expect(
      try harness.post(load, json: #"{"parameters": {"config": "\#(config)"}}"#).status == .ok)
    let changed = try harness.get("/v2/models/tokens/config").json()
    #expect(changed["max_batch_size"]?.number == 4)
    let batching = changed["dynamic_batching"]
    #expect(batching?["preferred_batch_size"]?.numbers == [4])
    #expect(batching?["max_queue_delay_microseconds"]?.number == 0)
    for parameters in [#"{"config": 5}"#, #"{"config": "x"}"#, #"{"file:1/a": "AA"}"#] {
      let response = try harness.post(load, json: #"{"parameters": \#(parameters)}"#)
      #expect(response.status == .badRequest, "\(parameters)")
    }
    let invalid = try harness.post(load, json: #"{"parameters": {"config": "x"}}"#)
    #expect(try invalid.json()["error"]?.string?.hasPrefix("failed to load 'tokens': ") == true)
    for (count, status) in [(4, HTTPStatus.ok), (5, .badRequest)] {
      let rows = Array(repeating: "[1]", count: count).joined(separator: ",")
      let request =
        #"{"name": "x", "datatype": "INT32", "shape": [\#(count), 1], "data": [\#(rows)]}"#
      let response = try harness.post(
        "/v2/models/tokens/infer", json: #"{"inputs": [\#(request)]}"#)
      #expect(response.status == status, "\(response.text)")
    }
  }

  @Test("settings can be read and changed")
  func settings() throws {
    let harness = try PredictionHarness(isAdministrator: true)
    let trace = try harness.post(
      "/v2/models/pair/trace/setting", json: #"{"trace_level": ["TIMESTAMPS"], "trace_rate": "5"}"#)
    #expect(try trace.json()["trace_rate"]?.string == "5")
    #expect(try harness.get("/v2/trace/setting").json()["trace_rate"]?.string == "1000")
    #expect(
      try harness.post("/v2/trace/setting", json: #"{"trace_file": "/x"}"#).status == .badRequest)
    let log = try harness.post("/v2/logging", json: #"{"log_verbose_level": 2}"#)
    #expect(try log.json()["log_verbose_level"]?.number == 2)
    #expect(try harness.post("/v2/logging", json: #"{"log_info": 5}"#).status == .badRequest)
  }

  @Test(
    "only administrators can load, unload and configure models",
    arguments: [
      "repository/models/pair/load", "repository/models/pair/unload", "trace/setting",
      "models/pair/trace/setting", "logging",
    ])
  func administration(path: String) throws {
    let harness = try PredictionHarness()
    let response = try harness.post("/v2/\(path)", json: "{}")
    #expect(response.status == .forbidden)
    #expect(try response.code() == "not-administrator")
    #expect(response.error?.message.hasSuffix("; see the manual") == true)
    #expect(try harness.get("/v2/models/pair/ready").status == .ok)
    let allowed = try PredictionHarness(isAdministrator: true).post("/v2/\(path)", json: "{}")
    #expect(allowed.status == .ok)
  }

  @Test("numbers of classes are formatted as C does")
  func fixedPoint() {
    let texts: [(Double, String)] = [
      (2.5, "2.500000"), (0, "0.000000"), (-0.25, "-0.250000"), (0.9999999, "1.000000"),
      (1e20, "100000000000000000000.000000"), (.nan, "nan"), (-.infinity, "-inf"),
    ]
    for (number, text) in texts { #expect(number.fixedPointText == text) }
  }
}
