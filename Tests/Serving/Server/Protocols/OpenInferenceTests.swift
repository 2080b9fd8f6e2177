import TensorIOBundle
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Requests of the Open Inference Protocol to models whose outputs are known.
@Suite struct OpenInferenceTests {
  private static let infer = "/v2/models/tokens/infer"

  private static func body(
    _ input: String, outputs: String? = nil, more: String = ""
  ) -> String {
    let outputs = outputs.map { #", "outputs": \#($0)"# } ?? ""
    return #"{"inputs": [\#(input)]\#(outputs)\#(more)}"#
  }

  private static let tokens =
    #"{"name": "x", "shape": [1, 3], "datatype": "INT32", "data": [1, -2, 3]}"#

  @Test("JSON tensors are returned in the order and with the keys of the protocol")
  func json() throws {
    let response = try PredictionHarness().post(Self.infer, json: Self.body(Self.tokens))
    #expect(response.headers["Content-Type"] == "application/json")
    #expect(
      response.text
        == #"{"model_name":"tokens","model_version":"1","outputs":[{"name":"y","datatype":"INT32","#
        + #""shape":[1,3],"data":[1,-2,3]}]}"#)
  }

  @Test("an identifier is echoed, and not invented")
  func identifier() throws {
    let harness = try PredictionHarness()
    let response = try harness.post(
      Self.infer, json: Self.body(Self.tokens, more: #", "id": "a7""#))
    #expect(try response.json()["id"]?.string == "a7")
    #expect(try harness.post(Self.infer, json: Self.body(Self.tokens)).json()["id"] == nil)
  }

  @Test("binary tensors follow the JSON in both directions")
  func binary() throws {
    let input = #"{"name": "x", "shape": [2, 1], "datatype": "INT32","#
    let header = Array(
      Self.body(
        input + #" "parameters": {"binary_data_size": 8}}"#,
        outputs: #"[{"name": "y", "parameters": {"binary_data": true}}]"#
      ).utf8)
    let elements: [UInt8] = [1, 0, 0, 0, 255, 255, 255, 255]
    let response = try PredictionHarness().post(
      Self.infer, header + elements,
      headers: ["Inference-Header-Content-Length": "\(header.count)"])
    let length = try #require(
      response.headers["Inference-Header-Content-Length"].flatMap { Int($0) })
    #expect(Array(response.body[length...]) == elements)
    let json = try JSONTree(String(decoding: response.body[..<length], as: UTF8.self))
    #expect(json["outputs"]?[0]?["parameters"]?["binary_data_size"]?.number == 8)
    #expect(json["outputs"]?[0]?["shape"]?.numbers == [2, 1])
    #expect(json["outputs"]?[0]?["data"] == nil)
  }

  @Test("tensors in shared memory are rejected", arguments: ["/invocations", infer])
  func sharedMemory(_ path: String) throws {
    let region = #""parameters": {"shared_memory_region": "r", "shared_memory_byte_size": 12}"#
    let input = #"{"name": "x", "shape": [1, 3], "datatype": "INT32", \#(region)}"#
    let output = #"[{"name": "y", \#(region)}]"#
    var options = PlatformOptions()
    options.defaultModel = "tokens"
    let harness = try PredictionHarness(platformOptions: options)
    for (body, name) in [
      (Self.body(input), "input 'x'"), (Self.body(Self.tokens, outputs: output), "output 'y'"),
    ] {
      let response = try harness.post(path, json: body)
      #expect(response.status == .notImplemented, "\(response.text)")
      #expect(
        response.error?.message
          == "\(name): shared memory is not supported, got 'shared_memory_region'")
    }
  }

  @Test("routes of shared memory are not implemented", arguments: ["system", "cuda"])
  func sharedMemoryRoutes(_ kind: String) throws {
    let harness = try PredictionHarness()
    let root = "/v2/\(kind)sharedmemory"
    for path in [root + "/status", root + "/region/r/status"] {
      #expect(try harness.get(path).status == .notImplemented)
    }
    for path in ["/region/r/register", "/region/r/unregister", "/unregister"] {
      let response = try harness.post(root + path, json: "{}")
      #expect(response.status == .notImplemented)
      #expect(try response.json()["error"]?.string == "shared memory is not supported")
    }
  }

  @Test("strings that are not UTF-8 are binary only")
  func invalidText() throws {
    let input =
      #"{"name": "x", "shape": [1, 1], "datatype": "BYTES","#
      + #" "parameters": {"binary_data_size": 6}}"#
    let string: [UInt8] = [2, 0, 0, 0, 0xC3, 0x28]
    func response(_ outputs: String?) throws -> HTTPResponse {
      let header = Array(Self.body(input, outputs: outputs).utf8)
      return try PredictionHarness().post(
        "/v2/models/text/infer", header + string,
        headers: ["Inference-Header-Content-Length": "\(header.count)"])
    }
    let json = try response(nil)
    #expect(json.status == .badRequest, "\(json.text)")
    #expect(
      try json.json()["error"]?.string
        == "output 'y' holds bytes that are not UTF-8; request it with \"binary_data\": true")
    let binary = try response(#"[{"name": "y", "parameters": {"binary_data": true}}]"#)
    #expect(binary.status == .ok && binary.body.suffix(6).elementsEqual(string))
  }

  @Test("members of an input can have any order")
  func order() throws {
    let input = #"{"data": [[4, 5]], "datatype": "INT32", "name": "x", "shape": [1, 2]}"#
    let response = try PredictionHarness().post(Self.infer, json: Self.body(input))
    #expect(try response.json()["outputs"]?[0]?["data"]?.numbers == [4, 5])
  }

  @Test("a raw request is the only input, and its outputs are binary")
  func raw() throws {
    let elements: [UInt8] = [7, 0, 0, 0, 8, 0, 0, 0]
    let response = try PredictionHarness().post(
      Self.infer, elements, headers: ["Inference-Header-Content-Length": "0"])
    #expect(response.status == .ok)
    #expect(Array(response.body.suffix(8)) == elements)
  }

  @Test("the items of a batch run one by one and are joined")
  func batch() throws {
    let response = try PredictionHarness().post(
      "/v2/models/sum/versions/1/infer",
      json: Self.body(
        """
        {"name": "left", "shape": [2, 2], "datatype": "FP32", "data": [[1, 2], [3, 4]]},
        {"name": "right", "shape": [2, 2], "datatype": "FP32", "data": [10, 20, 30, 40.5]}
        """))
    let output = try #require(try response.json()["outputs"]?[0])
    #expect(output["shape"]?.numbers == [2, 2])
    #expect(output["data"]?.numbers == [11, 22, 33, 44.5])
  }

  @Test("encoded images go through the preprocessing of the bundle, with classes by label")
  func images() throws {
    let image = try ImageBuffer(width: 2, height: 1, format: .rgb, pixels: [1, 2, 3, 9, 8, 7])
      .encoded(as: .png)
    let length = (0..<4).map { UInt8(truncatingIfNeeded: image.count >> ($0 * 8)) }
    let header = Array(
      Self.body(
        #"{"name": "x", "shape": [1], "datatype": "BYTES","#
          + #" "parameters": {"binary_data_size": \#(image.count + 4)}}"#,
        outputs: #"[{"name": "y", "parameters": {"classification": 2}}, {"name": "task_result"}]"#
      ).utf8)
    let response = try PredictionHarness().post(
      "/v2/models/image/infer", header + length + image,
      headers: ["Inference-Header-Content-Length": "\(header.count)"])
    let outputs = try #require(try response.json()["outputs"])
    #expect(outputs[0]?["datatype"]?.string == "BYTES")
    #expect(outputs[0]?["shape"]?.numbers == [1, 2])
    let best = try #require(outputs[0]?["data"]?[0]?.string)
    #expect(best.split(separator: ":").count == 3, "\(best)")
    #expect(outputs[1]?["data"]?[0]?.string?.contains("label") == true)
  }

  @Test(
    "invalid requests have status 400 and an error that is a string",
    arguments: [
      ("{", "JSON"), ("[]", "not a JSON object"), ("{}", "'inputs'"),
      (#"{"id": 5, "inputs": []}"#, "'id'"), (#"{"inputs": []}"#, "missing 'x'"),
      (body(#"{"shape": [1, 1], "datatype": "INT32", "data": [1]}"#), "'name'"),
      (body(#"{"name": "z", "shape": [1, 1], "datatype": "INT32", "data": [1]}"#), "'z'"),
      (body(tokens + "," + tokens), "twice"),
      (body(#"{"name": "x", "shape": [1, 1], "datatype": "FP32", "data": [1]}"#), "'INT32'"),
      (body(#"{"name": "x", "shape": [1, 1], "datatype": "WORD", "data": [1]}"#), "datatype"),
      (body(#"{"name": "x", "shape": [1, 2], "datatype": "INT32", "data": [1]}"#), "expected 2"),
      (body(#"{"name": "x", "shape": [1], "datatype": "INT32", "data": [1]}"#), "[-1,-1]"),
      (body(#"{"name": "x", "shape": [1, -1], "datatype": "INT32", "data": [1]}"#), "'shape'"),
      (
        body(
          #"{"name": "x", "shape": [16, 1152921504606846978], "datatype": "INT32", "data": [1]}"#),
        "causes total element count to exceed maximum size"
      ),
      (body(#"{"name": "x", "shape": [1, 1], "datatype": "INT32", "data": 5}"#), "an array"),
      (body(#"{"name": "x", "shape": [1, 1], "datatype": "BYTES", "data": "5"}"#), "an array"),
      (body(#"{"name": "x", "shape": [1, 1], "datatype": "INT32", "data": [1.5]}"#), "integer"),
      (body(#"{"name": "x", "shape": [1, 1], "datatype": "INT32", "data": ["1"]}"#), "number"),
      (body(#"{"name": "x", "shape": [1, 1], "datatype": "INT32", "data": [null]}"#), "number"),
      (
        body(#"{"name": "x", "shape": [1, 1], "datatype": "INT32", "data": [2147483648]}"#),
        "does not fit"
      ),
      (
        body(#"{"name": "x", "shape": [2, 2], "datatype": "INT32", "data": [[1, 2], [3]]}"#),
        "ragged"
      ),
      (
        body(#"{"name": "x", "shape": [2, 3], "datatype": "INT32", "data": [[1,2],[3,4],[5,6]]}"#),
        "nested"
      ),
      (body(#"{"name": "x", "shape": [1, 1], "datatype": "INT32"}"#), "neither"),
      (
        body(
          #"{"name": "x", "shape": [1, 1], "datatype": "INT32", "data": [1],"#
            + #" "parameters": {"binary_data_size": 4}}"#), "both"
      ),
      (
        body(
          #"{"name": "x", "shape": [1, 1], "datatype": "INT32","#
            + #" "parameters": {"binary_data_size": 4}}"#), "0 bytes of binary data are left"
      ),
      (body(tokens, outputs: #"[{"name": "w"}]"#), "'w'"),
      (body(tokens, outputs: #"[{"name": "y"}, {"name": "y"}]"#), "already requested"),
      (body(tokens, more: #", "parameters": {"triton_x": 1}"#), "reserved"),
      (
        body(#"{"name": "x", "shape": [1, 1], "datatype": "FP16", "data": [1]}"#),
        "not supported"
      ),
    ])
  func rejected(_ json: String, _ part: String) throws {
    let response = try PredictionHarness().post(Self.infer, json: json)
    let message = try #require(try response.json()["error"]?.string)
    #expect(response.status == .badRequest && message.contains(part), "\(message)")
  }

  @Test(
    "numbers out of range are reported with the datatype of the request",
    arguments: [
      ("INT8", "128"), ("INT8", "-129"), ("INT16", "32768"), ("INT32", "-2147483649"),
      ("UINT8", "256"), ("UINT16", "65536"), ("UINT32", "4294967296"),
    ])
  func outOfRange(_ datatype: String, _ number: String) throws {
    #expect(
      try Self.error(datatype, number)
        == "input 'x': the number \(number) does not fit \(datatype)")
  }

  /// Returns the error of a request with one number.
  private static func error(_ datatype: String, _ number: String) throws -> String {
    let response = try PredictionHarness().post(
      infer,
      json: body(
        #"{"name": "x", "shape": [1, 1], "datatype": "\#(datatype)", "data": [\#(number)]}"#))
    #expect(response.status == .badRequest)
    return try #require(try response.json()["error"]?.string)
  }

  @Test(
    "numbers that do not fit 64 bits, and negative ones for unsigned types, have the datatype in the error",
    arguments: [
      ("INT64", "9223372036854775808"), ("UINT64", "18446744073709551616"), ("UINT8", "-1"),
      ("UINT64", "-1"), ("FP32", "1e39"), ("FP64", "1e309"),
    ])
  func overflow(_ datatype: String, _ number: String) throws {
    let message = try Self.error(datatype, number)
    #expect(message.contains("does not fit") && message.contains(datatype), "\(message)")
  }

  @Test(
    "wrong lengths of binary data are rejected",
    arguments: [
      ("-1", 4, "header size"), ("1000", 4, "header size"), ("x", 4, "header size"),
      (nil, 3, "3 bytes"), (nil, 5, "1 bytes follow"),
    ])
  func wrongLengths(_ headerLength: String?, _ count: Int, _ part: String) throws {
    let size = min(count, 4)
    let header = Array(
      Self.body(
        #"{"name": "x", "shape": [1, 1], "datatype": "INT32","#
          + #" "parameters": {"binary_data_size": \#(size)}}"#
      ).utf8)
    let response = try PredictionHarness().post(
      Self.infer, header + [UInt8](repeating: 0, count: count),
      headers: ["Inference-Header-Content-Length": headerLength ?? "\(header.count)"])
    #expect(response.status == .badRequest)
    #expect(try response.json()["error"]?.string?.contains(part) == true, "\(response.text)")
  }

  @Test("unknown models and versions are not found", arguments: ["no", "tokens/versions/9"])
  func unknownModel(_ model: String) throws {
    let response = try PredictionHarness().post(
      "/v2/models/\(model)/infer", json: Self.body(Self.tokens))
    #expect(response.status == .notFound)
    #expect(try response.json()["error"]?.string?.hasPrefix("Request for unknown model") == true)
  }

  @Test("bodies are decompressed and responses compressed", arguments: ContentCoding.allCases)
  func compression(_ coding: ContentCoding) throws {
    let body = try #require(coding.compress(Array(Self.body(Self.tokens).utf8)))
    let response = try PredictionHarness().post(
      Self.infer, body,
      headers: ["Content-Encoding": coding.rawValue, "Accept-Encoding": coding.rawValue])
    #expect(response.headers["Content-Encoding"] == coding.rawValue)
    let text = try #require(coding.decompress(response.body, limit: 1000))
    #expect(
      try JSONTree(String(decoding: text, as: UTF8.self))["outputs"]?[0]?["data"]?.numbers
        == [1, -2, 3])
  }

  @Test("a compressed body that becomes too large is rejected")
  func bomb() throws {
    let zeros = [UInt8](repeating: 0x20, count: StandardRoute.maxBodyBytes + 1)
    let body = try #require(ContentCoding.gzip.compress(zeros))
    let response = try PredictionHarness().post(
      Self.infer, body, headers: ["Content-Encoding": "gzip"])
    #expect(response.status == .contentTooLarge)
    let unknown = try PredictionHarness().post(
      Self.infer, body, headers: ["Content-Encoding": "br"])
    #expect(unknown.status == .notImplemented)
  }
}
