import TensorIOBundle
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Requests of SageMaker, MLflow, Vertex AI and Azure ML.
@Suite struct PlatformTests {
  private static func harness(_ model: String = "tokens") throws -> PredictionHarness {
    var options = PlatformOptions()
    options.defaultModel = model
    options.vertexPredictPath = "/v1/endpoints/1/deployedModels/2:predict"
    return try PredictionHarness(platformOptions: options)
  }

  @Test(
    "the forms of a body are told apart",
    arguments: [
      #"{"instances": [[1, 2], [3, 4]]}"#, #"{"inputs": [[1, 2], [3, 4]]}"#,
      #"{"dataframe_split": {"columns": ["a", "b"], "data": [[1, 2], [3, 4]]}}"#,
      #"{"dataframe_records": [{"a": 1, "b": 2}, {"a": 3, "b": 4}]}"#,
    ])
  func forms(_ json: String) throws {
    for path in ["/invocations", "/score", "/predict"] {
      let response = try Self.harness().post(path, json: json)
      #expect(try response.json()["predictions"]?[1]?.numbers == [3, 4], "\(response.text)")
    }
  }

  @Test("CSV has a header or numbers only", arguments: ["a,b\n1,2\n3,4\n", "1,2\r\n\"3\",4"])
  func csv(_ text: String) throws {
    let response = try Self.harness().post(
      "/invocations", Array(text.utf8), headers: ["Content-Type": "text/csv"])
    #expect(try response.json()["predictions"]?[1]?.numbers == [3, 4], "\(response.text)")
  }

  @Test("rows are counted before they are converted")
  func counted() throws {
    let count = 100_000
    func rows(_ row: String, _ separator: String = ",") -> String {
      Array(repeating: row, count: count).joined(separator: separator)
    }
    let bodies = [
      (rows("1,2", "\n"), "text/csv", "more than 1024 rows"),
      (#"{"dataframe_split": {"data": [\#(rows("[1]"))]}}"#, "application/json", "100000 rows"),
      (
        #"{"dataframe_records": [\#(rows(#"{"a": 1}"#))]}"#, "application/json",
        "the maximum is 1024"
      ),
    ]
    for (body, type, part) in bodies {
      let response = try Self.harness().post(
        "/invocations", Array(body.utf8), headers: ["Content-Type": type])
      #expect(response.status == .badRequest)
      #expect(response.text.contains(part), "\(response.text)")
    }
  }

  @Test("columns are the inputs of the model, or the features of its input")
  func columns() throws {
    let response = try Self.harness("sum").post(
      "/invocations",
      json: #"{"dataframe_records": [{"right": [10, 20], "left": [1, 2]}]}"#)
    #expect(try response.json()["predictions"]?[0]?.numbers == [11, 22], "\(response.text)")
  }

  @Test("a body of the Open Inference Protocol has its response")
  func openInference() throws {
    let json = #"{"inputs": [{"name": "x", "shape": [1, 1], "datatype": "INT32", "data": [7]}]}"#
    let response = try Self.harness().post("/invocations", json: json)
    #expect(try response.json()["outputs"]?[0]?["data"]?.numbers == [7])
    let input = #"{"name": "x", "shape": [1, 1], "datatype": "INT32","#
    let size = #" "parameters": {"binary_data_size": 4}}"#
    let binary = Array((#"{"inputs": ["# + input + size + "]}").utf8)
    let type = "application/vnd.sagemaker-triton.binary+json;json-header-size="
    let mixed = try Self.harness().post(
      "/invocations", binary + [7, 0, 0, 0], headers: ["Content-Type": "\(type)\(binary.count)"])
    #expect(try mixed.json()["outputs"]?[0]?["data"]?.numbers == [7])
    for length in ["", "-1", "x", "100000", "99999999999"] {
      let response = try Self.harness().post(
        "/invocations", binary, headers: ["Content-Type": type + length])
      #expect(response.status == .badRequest, "\(length)")
    }
  }

  @Test(
    "errors have the keys of MLflow and of the other protocols",
    arguments: [
      (#"{"a": 1}"#, "application/json", 400),
      (#"{"inputs": 1, "instances": [1]}"#, "application/json", 400),
      ("a,b\n1", "text/csv", 400), ("\"a", "text/csv", 400), ("x", "text/html", 415),
      (#"{"instances": [[1]]}"#, "application/json; charset=latin-1", 415),
    ])
  func rejected(_ body: String, _ type: String, _ status: Int) throws {
    let response = try Self.harness().post(
      "/invocations", Array(body.utf8), headers: ["Content-Type": type])
    #expect(response.status.code == status, "\(response.text)")
    #expect(try response.json()["error_code"]?.string == "BAD_REQUEST")
    #expect(try response.json()["message"]?.string == response.json()["error"]?.string)
  }

  @Test("Vertex AI can redirect to a path, but not load or unload models")
  func redirects() throws {
    let json = #"{"inputs": [{"name": "x", "shape": [1, 1], "datatype": "INT32", "data": [7]}]}"#
    func status(_ target: String, _ body: String) throws -> HTTPStatus {
      try Self.harness().post(
        "/predict", Array(body.utf8), headers: ["X-Vertex-Ai-Triton-Redirect": target]
      ).status
    }
    #expect(try status("v2/models/tokens/infer", json) == .ok)
    #expect(try status("v2/models/tokens/config", "") == .ok)
    #expect(try status("v2/repository/models/tokens/unload", "") == .forbidden)
    #expect(try status("metrics", "") == .badRequest)
    #expect(try status("v2/nothing", "") == .notFound)
    let path = "/v1/endpoints/1/deployedModels/2:predict"
    #expect(try Self.harness().post(path, json: #"{"instances": [[1]]}"#).status == .ok)
  }

  @Test("a redirected response is compressed once", arguments: ["gzip", "deflate"])
  func redirectedCompression(_ name: String) throws {
    let json = #"{"inputs": [{"name": "x", "shape": [1, 1], "datatype": "INT32", "data": [7]}]}"#
    let response = try Self.harness().post(
      "/predict", Array(json.utf8),
      headers: ["X-Vertex-Ai-Triton-Redirect": "v2/models/tokens/infer", "Accept-Encoding": name])
    #expect(response.headers["Content-Encoding"] == name)
    let body = ContentCoding(rawValue: name)?.decompress(response.body, limit: 1000)
    let tree = try JSONTree(String(decoding: try #require(body), as: UTF8.self))
    #expect(tree["outputs"]?[0]?["data"]?.numbers == [7])
  }

  @Test(
    "binary tensors have the header of the protocol",
    arguments: [nil, "application/vnd.vertex-ai-triton.binary+json;json-header-size="],
    [nil, "v2/models/tokens/infer"])
  func binaryHeader(_ type: String?, _ target: String?) throws {
    let json = Array(
      (#"{"inputs": [{"name": "x", "shape": [1, 1], "datatype": "INT32","#
        + #" "parameters": {"binary_data_size": 4}}],"#
        + #" "outputs": [{"name": "y", "parameters": {"binary_data": true}}]}"#).utf8)
    var headers: HTTPHeaders = [:]
    headers["X-Vertex-Ai-Triton-Redirect"] = target
    headers["Content-Type"] = type.map { "\($0)\(json.count)" } ?? "application/octet-stream"
    if type == nil { headers["Inference-Header-Content-Length"] = "\(json.count)" }
    let response = try Self.harness().post("/predict", json + [7, 0, 0, 0], headers: headers)
    #expect(response.status == .ok, "\(response.text)")
    let length = response.headers["Inference-Header-Content-Length"].flatMap { Int($0) }
    #expect(try response.body.dropFirst(#require(length)).elementsEqual([7, 0, 0, 0]))
  }

  @Test("a request needs a default model if there are several")
  func defaultModel() throws {
    let response = try PredictionHarness().post("/invocations", json: #"{"instances": [[1]]}"#)
    #expect(response.status == .notFound)
    #expect(try response.json()["error_code"]?.string == "RESOURCE_DOES_NOT_EXIST")
  }

  @Test("SageMaker lists, adds and removes models")
  func models() throws {
    var options = PlatformOptions()
    options.readModel = { name, path in
      ModelCatalog.Entry(name: name, path: path, bundle: nil)
    }
    let harness = try PredictionHarness(platformOptions: options)
    let body = #"{"model_name": "new", "url": "/opt/ml/models/1/model"}"#
    #expect(try harness.post("/models", json: body).status == .ok)
    #expect(try harness.post("/models", json: body).status == .conflict)
    #expect(try harness.get("/models/new").json()["modelName"]?.string == "new")
    #expect(try harness.get("/models/none").status == .notFound)
    let names = try harness.get("/models").json()["models"]?.array?.map { $0["modelName"]?.string }
    #expect(names?.contains("new") == true)
    let invoked = try harness.post("/models/tokens/invoke", json: #"{"instances": [[5]]}"#)
    #expect(try invoked.json()["predictions"]?[0]?.numbers == [5], "\(invoked.text)")
    let target = try #require(RequestTarget("/models/new"))
    #expect(harness.router.respond(to: HTTPRequest(.delete, target)).status == .ok)
    #expect(try harness.get("/models/new").status == .notFound)
    #expect(try harness.post("/models", json: #"{"url": "x"}"#).status == .badRequest)
  }
}
