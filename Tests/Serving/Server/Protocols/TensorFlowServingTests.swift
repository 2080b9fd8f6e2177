import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Requests of TensorFlow Serving and of version 1 of KServe's protocol.
@Suite struct TensorFlowServingTests {
  private static let sum = "/v1/models/sum"

  @Test("rows have one prediction per instance")
  func rows() throws {
    let harness = try PredictionHarness()
    let named = #"{"left": [1, 2], "right": [10, 20]}"#
    let response = try harness.post(
      Self.sum + ":predict", json: #"{"instances": [\#(named), \#(named)]}"#)
    #expect(try response.json()["predictions"]?[1]?.numbers == [11, 22])
    let single = try harness.post(
      "/v1/models/tokens/versions/1:predict", json: #"{"instances": [[1, 2], [3, 4]]}"#)
    #expect(try single.json()["predictions"]?[1]?.numbers == [3, 4])
  }

  @Test("columns have one tensor per input and output")
  func columns() throws {
    let harness = try PredictionHarness()
    let response = try harness.post(
      Self.sum + ":predict",
      json: #"{"inputs": {"left": [[1, 2]], "right": [[10, 20]], "more": 5}}"#)
    #expect(try response.json()["outputs"]?[0]?.numbers == [11, 22])
    let single = try harness.post("/v1/models/tokens:predict", json: #"{"inputs": [[1, 2]]}"#)
    #expect(try single.json()["outputs"]?[0]?.numbers == [1, 2])
  }

  @Test("strings that are not UTF-8 are base64, as in requests")
  func invalidText() throws {
    let harness = try PredictionHarness()
    func predictions(_ instance: String) throws -> JSONTree? {
      try harness.post("/v1/models/text:predict", json: #"{"instances": [\#(instance)]}"#).json()[
        "predictions"]?[0]?[0]
    }
    #expect(try predictions(#"[{"b64": "wyg="}]"#)?["b64"]?.string == "wyg=")
    #expect(try predictions(#"["ä"]"#)?.string == "ä")
  }

  @Test(
    "invalid requests have an error that is a string",
    arguments: [
      ("{", "JSON Parse error"), ("{}", "Missing 'inputs' or 'instances' key"),
      (#"{"inputs": [[1]], "instances": [[1]]}"#, "Only one of"),
      (#"{"instances": []}"#, "must not be empty"), (#"{"instances": 5}"#, "list"),
      (#"{"instances": [[1, 2], [3]]}"#, "item 1 has shape"),
      (#"{"instances": [[1, [2]]]}"#, "item 0"), (#"{"instances": [["a"]]}"#, "string"),
      (#"{"instances": [[1.5]]}"#, "item 0"), (#"{"instances": [[3000000000]]}"#, "does not fit"),
      (#"{"instances": [{"b64": "AAAA"}]}"#, "base64"), (#"{"instances": [{"y": [1]}]}"#, "'x'"),
      (#"{"instances": [[1]], "signature_name": "f"}"#, "Serving signature name"),
    ])
  func rejected(_ json: String, _ part: String) throws {
    let response = try PredictionHarness().post("/v1/models/tokens:predict", json: json)
    #expect(response.status == .badRequest)
    #expect(try response.json()["error"]?.string?.contains(part) == true, "\(response.text)")
  }

  @Test(
    "items are counted before they are converted",
    arguments: ["instances", "inputs"], ["1", "[1]", #""text""#])
  func counted(_ key: String, _ item: String) throws {
    let items = Array(repeating: item, count: 100_000).joined(separator: ",")
    let response = try PredictionHarness().post(
      "/v1/models/tokens:predict", json: #"{"\#(key)": [\#(items)]}"#)
    #expect(response.status == .badRequest)
    let message = "batch-size must be <= 1024, got 100000"
    #expect(try response.json()["error"]?.string?.contains(message) == true, "\(response.text)")
  }

  @Test("the status has the state of each version, and KServe's readiness")
  func status() throws {
    let harness = try PredictionHarness()
    for path in ["/v1/models/sum", "/v1/models/sum/versions/1", "/v1/models/sum/versions/0"] {
      let status = try harness.get(path).json()
      #expect(status["ready"] == .bool(true))
      #expect(status["model_version_status"]?[0]?["version"]?.string == "1")
      #expect(status["model_version_status"]?[0]?["state"]?.string == "AVAILABLE")
    }
    let unknown = try harness.get("/v1/models/sum/versions/9")
    #expect(unknown.status == .notFound)
    #expect(
      try unknown.json()["error"]?.string
        == "Servable not found for request: Specific(sum, 9)")
    #expect(try harness.get("/v1/models").json()["models"]?[0]?.string == "pair")
  }

  @Test("the metadata has the signature")
  func metadata() throws {
    let metadata = try PredictionHarness().get("/v1/models/sum/metadata").json()
    let signature =
      metadata["metadata"]?["signature_def"]?["signature_def"]?["serving_default"]
    #expect(signature?["inputs"]?["left"]?["dtype"]?.string == "DT_FLOAT")
    let dimensions = signature?["inputs"]?["left"]?["tensor_shape"]?["dim"]?.array
    #expect(dimensions?.map { $0["size"]?.string } == ["-1", "2"])
  }

  @Test("classify has the label and score of every class")
  func classify() throws {
    let example = #"{"x": [[[1, 2, 3], [9, 8, 7]]]}"#
    let response = try PredictionHarness().post(
      "/v1/models/image:classify", json: #"{"examples": [\#(example)]}"#)
    let classes = try response.json()["results"]?[0]?.array
    #expect(classes?.count == 6, "\(response.text)")
    #expect(classes?[3][0]?.string == "d" && classes?[3][1]?.number == 9, "\(response.text)")
    let regress = try PredictionHarness().post(
      "/v1/models/image:regress", json: #"{"examples": [\#(example)]}"#)
    #expect(regress.status == .badRequest)
  }
}
