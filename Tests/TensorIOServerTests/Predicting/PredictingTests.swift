import Foundation
import TensorIOImage
import TensorIOServer
import TensorIOTestSupport
import Testing

@Suite struct PredictingTests {
  private let shop: Shop
  private let png: [UInt8]

  init() throws {
    shop = try Shop()
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
  func `JSON is what run takes as one item`(_ json: String) throws {
    let response = try shop.ask("pair", json: json)
    #expect(response.status == .ok)
    #expect(response.headers["Content-Type"] == "application/json")
    let record = try response.tree()
    #expect(record.object?.keys.sorted() == ["input", "model", "outputs", "timing_ms"])
    #expect(record["model"]?["id"]?.string == "test")
    #expect(record["input"]?.string == "body")
    #expect(record["outputs"]?["y"]?.numbers == [1, 2.5])
  }

  @Test func `many items have a list of answers, with the errors in their places`() throws {
    let response = try shop.ask("pair", json: #"{"items": [[1, 2], [1], {"x": [3, 4]}]}"#)
    #expect(response.status == .ok)
    let records = try response.tree().array ?? []
    #expect(records.compactMap { $0["input"]?.string } == ["items[0]", "items[1]", "items[2]"])
    #expect(records[1]["error"]?["code"]?.string == "wrong-count")
    #expect(records[2]["outputs"]?["y"]?.numbers == [3, 4])
    #expect(try shop.ask("pair", json: #"{"items": []}"#).text == "[]\n")
  }

  @Test func `there is a limit to the items of a request`() throws {
    let items = Array(repeating: "1", count: 1025).joined(separator: ",")
    let response = try shop.ask("pair", json: "{\"items\": [\(items)]}")
    #expect(response.status == .contentTooLarge)
    #expect(try response.code() == "too-many-items")
  }

  @Test func `a picture in JSON is base64 or a data URL`() throws {
    let base64 = Data(png).base64EncodedString()
    for text in [base64, "base64:\(base64)", "data:image/png;base64,\(base64)"] {
      #expect(try labels(shop.ask("picture", json: "{\"x\": \"\(text)\"}").tree()).first == "d")
      #expect(try labels(shop.ask("picture", json: "\"\(text)\"").tree()).first == "d")
    }
  }

  @Test(arguments: [
    "/etc/passwd", "@/etc/passwd", "-", "file:///etc/passwd", "data:image/png,x", "data:", "",
  ])
  func `a string never names a file`(_ text: String) throws {
    let response = try shop.ask("picture", json: "{\"x\": \"\(text)\"}")
    #expect(response.status == .unprocessableContent)
    #expect(!response.text.contains("passwd"))
    #expect(try shop.ask("pair", json: "{\"x\": \"\(text)\"}").status == .unprocessableContent)
  }

  @Test(arguments: [
    ("{", HTTPStatus.badRequest, "invalid-json"), ("", .badRequest, "invalid-json"),
    ("[1,2,]", .badRequest, "invalid-json"), ("[1]", .unprocessableContent, "wrong-count"),
    ("{}", .unprocessableContent, "input-names"), (#"{"z": 1}"#, .unprocessableContent, "input-names"),
    (#""text""#, .unprocessableContent, "wrong-type"), ("null", .unprocessableContent, "wrong-type"),
    ("[[1],[2,3]]", .unprocessableContent, "invalid-json"),
  ])
  func `what is wrong with JSON is told by its code`(
    _ json: String, _ status: HTTPStatus, _ code: String
  ) throws {
    let response = try shop.ask("pair", json: json)
    #expect(response.status == status)
    #expect(try response.code() == code)
  }

  @Test func `a large body of JSON is refused before it is read`() throws {
    let json = String(repeating: " ", count: HTTPLimits.maxJSONBodyBytes) + "1"
    #expect(try shop.ask("pair", json: json).status == .contentTooLarge)
  }

  // MARK: Bytes

  @Test(arguments: ["image/png", "IMAGE/whatever; q=1", "application/octet-stream"])
  func `a body may be a picture`(_ type: String) throws {
    let record = try shop.ask("picture", type, png, query: "?top=2&input=x").tree()
    #expect(labels(record) == ["d", "f"])
  }

  @Test func `bytes may be the numbers themselves`() throws {
    let bytes = ([1.5, 2] as [Float]).rawBytes
    let record = try shop.ask("pair", "application/octet-stream", bytes).tree()
    #expect(record["outputs"]?["y"]?.numbers == [1.5, 2])
  }

  @Test func `an answer has as many labels as are wanted`() throws {
    #expect(try labels(shop.ask("picture", "image/png", png, query: "?above=50").tree()).count == 2)
    let all = try shop.ask("picture", "image/png", png, query: "?threshold=0").tree()
    #expect(labels(all).count == 6)
  }

  @Test(arguments: [
    (nil, "picture", HTTPStatus.unsupportedMediaType), ("text/html", "picture", .unsupportedMediaType),
    ("broken", "picture", .unsupportedMediaType), ("image/png", "pair", .unsupportedMediaType),
    ("application/octet-stream", "sum", .badRequest),
  ])
  func `a body of another type is refused`(
    _ type: String?, _ model: String, _ status: HTTPStatus
  ) throws {
    #expect(try shop.ask(model, type, png).status == status)
  }

  @Test(arguments: [
    ([UInt8](), "truncated-picture"), (Array("no picture".utf8), "unknown-picture-format"),
    ([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], "truncated-picture"),
  ])
  func `what is no picture is told so`(_ body: [UInt8], _ code: String) throws {
    let response = try shop.ask("picture", "image/png", body)
    #expect(response.status == .unprocessableContent)
    #expect(try response.code() == code)
  }

  @Test func `the answer may be drawn`() throws {
    let response = try shop.ask("picture", "image/png", png, query: "?annotate=1")
    #expect(response.status == .ok)
    #expect(response.headers["Content-Type"] == "image/png")
    #expect(try ImageBuffer(decoding: response.body).width >= 2)
    #expect(try shop.ask("pair", json: "[1, 2]", query: "?annotate=1").status == .badRequest)
    let two = form([("name=a", png), ("name=b", png)])
    let refused = try shop.ask("picture", Self.formType, two, query: "?annotate=1")
    #expect(refused.status == .badRequest)
  }

  // MARK: Forms

  @Test func `several files are several items`() throws {
    let body = form([
      ("name=f; filename=\"<b>\\\"x\\\".png\"", png), ("name=f; filename=\"no.png\"", [1, 2]),
    ])
    let records = try shop.ask("picture", Self.formType, body).tree().array ?? []
    #expect(records.compactMap { $0["input"]?.string } == ["<b>\"x\".png", "no.png"])
    #expect(labels(records[0]).first == "d")
    #expect(records[1]["error"]?["code"]?.string == "unknown-picture-format")
    let one = try shop.ask("picture", Self.formType, form([("name=f; filename=a.png", png)]))
    #expect(try one.tree()["input"]?.string == "a.png")
  }

  @Test func `parts with the names of inputs are one item`() throws {
    let right = ([10, 20] as [Float]).rawBytes
    let body = form([("name=left", Array("[1, 2]".utf8)), ("name=right; filename=r.bin", right)])
    let record = try shop.ask("sum", Self.formType, body).tree()
    #expect(record["outputs"]?["y"]?.numbers == [11, 22])
    let twice = form([("name=left", [49]), ("name=left", [49])])
    #expect(try shop.ask("sum", Self.formType, twice).code() == "invalid-form")
    let strange = form([("name=left", Array("[1, 2]".utf8)), ("name=other", [49])])
    #expect(try shop.ask("sum", Self.formType, strange).code() == "input-names")
  }

  @Test(arguments: ["", "--b--", "--b\r\n"])
  func `a broken form is refused`(_ body: String) throws {
    let response = try shop.ask("picture", Self.formType, Array(body.utf8))
    #expect(response.status == .badRequest)
    #expect(try response.code() == "invalid-form")
  }

  // MARK: Everything else

  @Test func `every request begins anew`() throws {
    for _ in 0..<2 {
      let record = try shop.ask("counter", json: #"{"x": [1, 2]}"#).tree()
      #expect(record["outputs"]?["y"]?.numbers == [1, 2])
    }
    let continued = try shop.ask("counter", json: #"{"x": [1, 2], "before": [10, 10]}"#).tree()
    #expect(continued["outputs"]?["y"]?.numbers == [11, 12])
  }

  @Test(arguments: [
    "?topp=1", "?top=0", "?top=x", "?above=nan", "?threshold=", "?annotate=2", "?input=z",
  ])
  func `a word behind the question mark is never ignored`(_ query: String) throws {
    let response = try shop.ask("picture", "image/png", png, query: query)
    #expect(response.status == .badRequest)
    let word = try #require(query.dropFirst().split(separator: "=").first)
    #expect(word == "input" || response.text.contains(word))
  }

  @Test(arguments: [
    ("nothing", HTTPStatus.notFound, "unknown-model"), ("broken", .internalServerError, "missing-file"),
    ("refused", .internalServerError, "model-refused"), ("runtimeless", .serviceUnavailable, "runtime-missing"),
    ("failing", .internalServerError, "call-failed"), ("busy", .serviceUnavailable, "timed-out"),
  ])
  func `a failure has a status and a code, and tells nothing of the server`(
    _ model: String, _ status: HTTPStatus, _ code: String
  ) throws {
    for _ in 0..<2 {
      let response = try shop.ask(model, json: "[1, 2]")
      #expect(response.status == status)
      #expect(try response.code() == code)
      #expect(!response.text.contains("secret"))
      #expect((response.headers["Retry-After"] != nil) == (status == .serviceUnavailable))
    }
  }
}
