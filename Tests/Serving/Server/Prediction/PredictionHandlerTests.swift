import Foundation
import TensorIOImage
import TensorIOServer
import TensorIOTestSupport
import Testing

@Suite struct PredictionHandlerTests {
  private let harness: PredictionHarness
  private let png: [UInt8]

  init() throws {
    harness = try PredictionHarness()
    let pixels: [UInt8] = [10, 20, 30, 255, 50, 60]
    png = try ImageBuffer(width: 2, height: 1, format: .rgb, pixels: pixels).encoded(as: .png)
  }

  private func labels(_ record: JSONTree?) -> [String] {
    (record?["outputs"]?["y"]?.array ?? []).compactMap { $0["label"]?.string }
  }

  private func form(_ parts: [(String, [UInt8])]) -> [UInt8] {
    parts.flatMap { head, content in
      Array("--b\r\nContent-Disposition: form-data; \(head)\r\n\r\n".utf8) + content
        + Array("\r\n".utf8)
    } + Array("--b--\r\n".utf8)
  }

  private static let formType = "multipart/form-data; boundary=b"

  // MARK: JSON

  @Test(arguments: ["[1, 2.5]", #"{"x": [1, 2.5]}"#, #"{"x": "base64:AACAPwAAIEA="}"#])
  func `A JSON body is parsed like an input of tensorio run`(_ json: String) throws {
    let response = try harness.predict("pair", json: json)
    #expect(response.status == .ok)
    #expect(response.headers["Content-Type"] == "application/json")
    let record = try response.json()
    #expect(record.object?.keys.sorted() == ["input", "model", "outputs", "timing_ms"])
    #expect(record["model"]?["id"]?.string == "test")
    #expect(record["input"]?.string == "body")
    #expect(record["outputs"]?["y"]?.numbers == [1, 2.5])
  }

  @Test func `Several items have an array of results with errors in place`() throws {
    let response = try harness.predict("pair", json: #"{"items": [[1, 2], [1], {"x": [3, 4]}]}"#)
    #expect(response.status == .ok)
    let records = try response.json().array ?? []
    #expect(records.compactMap { $0["input"]?.string } == ["items[0]", "items[1]", "items[2]"])
    #expect(records[1]["error"]?["code"]?.string == "wrong-count")
    #expect(records[2]["outputs"]?["y"]?.numbers == [3, 4])
    #expect(try harness.predict("pair", json: #"{"items": []}"#).text == "[]\n")
  }

  @Test func `The number of items is limited`() throws {
    let items = Array(repeating: "1", count: 1025).joined(separator: ",")
    let response = try harness.predict("pair", json: "{\"items\": [\(items)]}")
    #expect(response.status == .contentTooLarge)
    #expect(try response.code() == "too-many-items")
  }

  @Test func `An image in JSON is base64 or a data URL`() throws {
    let base64 = Data(png).base64EncodedString()
    for text in [base64, "base64:\(base64)", "data:image/png;base64,\(base64)"] {
      #expect(
        try labels(harness.predict("image", json: "{\"x\": \"\(text)\"}").json()).first == "d")
      #expect(try labels(harness.predict("image", json: "\"\(text)\"").json()).first == "d")
    }
  }

  @Test(arguments: [
    "/etc/passwd", "@/etc/passwd", "-", "file:///etc/passwd", "data:image/png,x", "data:", "",
  ])
  func `A string never names a file`(_ text: String) throws {
    let response = try harness.predict("image", json: "{\"x\": \"\(text)\"}")
    #expect(response.status == .unprocessableContent)
    #expect(!response.text.contains("passwd"))
    #expect(
      try harness.predict("pair", json: "{\"x\": \"\(text)\"}").status == .unprocessableContent)
  }

  @Test(arguments: [
    ("{", HTTPStatus.badRequest, "invalid-json"), ("", .badRequest, "invalid-json"),
    ("[1,2,]", .badRequest, "invalid-json"), ("[1]", .unprocessableContent, "wrong-count"),
    ("{}", .unprocessableContent, "input-names"),
    (#"{"z": 1}"#, .unprocessableContent, "input-names"),
    (#""text""#, .unprocessableContent, "wrong-type"),
    ("null", .unprocessableContent, "wrong-type"),
    ("[[1],[2,3]]", .unprocessableContent, "invalid-json"),
  ])
  func `Errors in JSON have codes`(
    _ json: String, _ status: HTTPStatus, _ code: String
  ) throws {
    let response = try harness.predict("pair", json: json)
    #expect(response.status == status)
    #expect(try response.code() == code)
  }

  @Test func `A large JSON body is rejected without being parsed`() throws {
    let json = String(repeating: " ", count: HTTPLimits.maxJSONBodyBytes) + "1"
    #expect(try harness.predict("pair", json: json).status == .contentTooLarge)
  }

  // MARK: Bytes

  @Test(arguments: ["image/png", "IMAGE/whatever; q=1", "application/octet-stream"])
  func `A body may be an image`(_ type: String) throws {
    let record = try harness.predict("image", type, png, query: "?top=2&input=x").json()
    #expect(labels(record) == ["d", "f"])
  }

  @Test func `A body may be raw numbers`() throws {
    let bytes = ([1.5, 2] as [Float]).rawBytes
    let record = try harness.predict("pair", "application/octet-stream", bytes).json()
    #expect(record["outputs"]?["y"]?.numbers == [1.5, 2])
  }

  @Test func `Query parameters select the labels`() throws {
    #expect(
      try labels(harness.predict("image", "image/png", png, query: "?score_above=50").json()).count
        == 2)
    let all = try harness.predict("image", "image/png", png, query: "?min_score=0").json()
    #expect(labels(all).count == 6)
  }

  @Test(arguments: [
    (nil, "image", HTTPStatus.unsupportedMediaType), ("text/html", "image", .unsupportedMediaType),
    ("broken", "image", .unsupportedMediaType), ("image/png", "pair", .unsupportedMediaType),
    ("application/octet-stream", "sum", .badRequest),
  ])
  func `A body of an unsupported type is rejected`(
    _ type: String?, _ model: String, _ status: HTTPStatus
  ) throws {
    #expect(try harness.predict(model, type, png).status == status)
  }

  @Test(arguments: [
    ([UInt8](), "truncated-image"), (Array("not an image".utf8), "unknown-image-format"),
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "truncated-image"),
  ])
  func `A body that is not an image is rejected`(_ body: [UInt8], _ code: String) throws {
    let response = try harness.predict("image", "image/png", body)
    #expect(response.status == .unprocessableContent)
    #expect(try response.code() == code)
  }

  @Test func `The shapes to draw can be added to the result`() throws {
    let plain = try harness.predict("pair", json: "[1, 2]")
    #expect(try plain.json()["display"] == nil)
    let display = try harness.predict("pair", json: "[1, 2]", query: "?display=1").json()["display"]
    #expect(try #require(display?["lines"]?.array).isEmpty)
    #expect(display?["overlay"]?.array != nil)
  }

  @Test func `The result can be returned as an annotated image`() throws {
    let response = try harness.predict("image", "image/png", png, query: "?annotate=1")
    #expect(response.status == .ok)
    #expect(response.headers["Content-Type"] == "image/png")
    #expect(try ImageBuffer(decoding: response.body).width >= 2)
    let numbers = try harness.predict("pair", json: "[1, 2]", query: "?annotate=1")
    #expect(try numbers.status == .badRequest && numbers.code() == "no-image-input")
    let two = form([("name=a", png), ("name=b", png)])
    let rejected = try harness.predict("image", Self.formType, two, query: "?annotate=1")
    #expect(try rejected.status == .badRequest && rejected.code() == "single-item-required")
  }

  // MARK: Forms

  @Test func `Several files are several items`() throws {
    let body = form([
      ("name=f; filename=\"<b>\\\"x\\\".png\"", png), ("name=f; filename=\"no.png\"", [1, 2]),
    ])
    let records = try harness.predict("image", Self.formType, body).json().array ?? []
    #expect(records.compactMap { $0["input"]?.string } == ["<b>\"x\".png", "no.png"])
    #expect(labels(records[0]).first == "d")
    #expect(records[1]["error"]?["code"]?.string == "unknown-image-format")
    let one = try harness.predict("image", Self.formType, form([("name=f; filename=a.png", png)]))
    #expect(try one.json()["input"]?.string == "a.png")
  }

  @Test func `Parts named after inputs are one item`() throws {
    let right = ([10, 20] as [Float]).rawBytes
    let body = form([("name=left", Array("[1, 2]".utf8)), ("name=right; filename=r.bin", right)])
    let record = try harness.predict("sum", Self.formType, body).json()
    #expect(record["outputs"]?["y"]?.numbers == [11, 22])
    let twice = form([("name=left", [49]), ("name=left", [49])])
    #expect(try harness.predict("sum", Self.formType, twice).code() == "invalid-form")
    let unknown = form([("name=left", Array("[1, 2]".utf8)), ("name=other", [49])])
    #expect(try harness.predict("sum", Self.formType, unknown).code() == "input-names")
  }

  @Test(arguments: ["", "--b--", "--b\r\n"])
  func `A malformed form is rejected`(_ body: String) throws {
    let response = try harness.predict("image", Self.formType, Array(body.utf8))
    #expect(response.status == .badRequest)
    #expect(try response.code() == "invalid-form")
  }

  // MARK: Other

  @Test func `A value determines the lengths that a model leaves open`() throws {
    for (body, expected) in [("[1, 2, 3]", [1, 2, 3]), ("[[4, 5]]", [4, 5])] {
      let record = try harness.predict("tokens", json: body).json()
      #expect(record["outputs"]?["y"]?.numbers == expected.map(Double.init))
    }
    let items = try harness.predict("tokens", json: #"{"items": [[1, 2], [3], [4]]}"#).json()
    #expect(items.array?.compactMap { $0["outputs"]?["y"] }.count == 3, "\(items)")
    let rejected = try harness.predict("tokens", json: "[[1], [2]]")
    #expect(try rejected.status == .unprocessableContent && rejected.code() == "wrong-shape")
  }

  @Test func `Every request starts with the initial state`() throws {
    for _ in 0..<2 {
      let record = try harness.predict("counter", json: #"{"x": [1, 2]}"#).json()
      #expect(record["outputs"]?["y"]?.numbers == [1, 2])
    }
    let continued = try harness.predict("counter", json: #"{"x": [1, 2], "before": [10, 10]}"#)
      .json()
    #expect(continued["outputs"]?["y"]?.numbers == [11, 12])
  }

  @Test(arguments: [
    "?topp=1", "?top=0", "?top=x", "?score_above=nan", "?min_score=", "?annotate=2", "?display=2",
    "?input=z",
    "?above=1", "?threshold=1",
  ])
  func `An unknown or invalid query parameter is rejected`(_ query: String) throws {
    let response = try harness.predict("image", "image/png", png, query: query)
    #expect(response.status == .badRequest)
    let name = try #require(query.dropFirst().split(separator: "=").first)
    #expect(name == "input" || response.text.contains(name))
  }

  @Test(arguments: [
    ("nothing", HTTPStatus.notFound, "unknown-model"),
    ("broken", .internalServerError, "missing-file"),
    ("rejected", .internalServerError, "model-rejected"),
    ("missing-runtime", .serviceUnavailable, "runtime-missing"),
    ("failing", .internalServerError, "call-failed"), ("busy", .serviceUnavailable, "timed-out"),
  ])
  func `An error has a status and a code and reveals nothing about the server`(
    _ model: String, _ status: HTTPStatus, _ code: String
  ) throws {
    for _ in 0..<2 {
      let response = try harness.predict(model, json: "[1, 2]")
      #expect(response.status == status)
      #expect(try response.code() == code)
      #expect(!response.text.contains("secret"))
      #expect((response.headers["Retry-After"] != nil) == (status == .serviceUnavailable))
    }
  }
}
