import TensorIOServer
import TensorIOTestSupport
import Testing

@Suite struct MultipartFormTests {
  private static let type = MediaType("multipart/form-data; boundary=\"x-y z\"")

  private func form(_ text: String) throws -> MultipartForm { try form(Array(text.utf8)) }

  private func form(_ bytes: [UInt8]) throws -> MultipartForm {
    try MultipartForm(bytes, #require(Self.type))
  }

  private static func part(_ head: String, _ content: String) -> String {
    "--x-y z\r\nContent-Disposition: form-data; \(head)\r\n\r\n\(content)\r\n"
  }

  @Test func `Parts have names, file names, types and contents`() throws {
    let parts = try form(
      Self.part("name=left", "[1, 2]")
        + Self.part(
          "name=\"the \\\"file\\\"\"; filename=\"C:\\a\\ü.png\"\r\nContent-Type: Image/PNG; q=\"1;2\"",
          "\r\n--x-y\r\n")
        + Self.part("NAME=\"empty\"; filename=\"\"", "") + "--x-y z--\r\n"
    ).parts
    #expect(parts.map(\.name) == ["left", "the \"file\"", "empty"])
    #expect(parts.map(\.fileName) == [nil, "C:\\a\\ü.png", ""])
    #expect(parts.map(\.contentType?.name) == [nil, "image/png", nil])
    #expect(parts[1].contentType?.parameters == ["q": "1;2"])
    #expect(parts.map(\.content) == ["[1, 2]", "\r\n--x-y\r\n", ""].map { Array($0.utf8) })
  }

  @Test func `A form may have no parts`() throws {
    #expect(try form("--x-y z--").parts.isEmpty)
  }

  @Test(
    arguments: [
      ("", MultipartError.missingFirstBoundary), ("preamble\r\n--x-y z--", .missingFirstBoundary),
      ("--x-y", .missingFirstBoundary), ("--x-y z", .missingFinalBoundary),
      ("--x-y z  ", .missingFinalBoundary),
      ("--x-y z!\r\n", .malformedBoundary), ("--x-y z\n", .malformedBoundary),
      ("--x-y z--\r\nmore", .trailingBytes), ("--x-y z--\r\n\r\n", .trailingBytes),
      ("--x-y z\r\nContent-Disposition: form-data; name=a\r\n", .missingFinalBoundary),
      ("--x-y z\r\nContent-Disposition: form-data; name=a\r\n\r\ncontent", .missingFinalBoundary),
      (
        "--x-y z\r\nContent-Disposition: form-data; name=a\n\r\n\r\n\r\n--x-y z--", .malformedHeader
      ),
      ("--x-y z\r\nContent-Disposition : form-data; name=a\r\n\r\n\r\n--x-y z--", .malformedHeader),
      ("--x-y z\r\n Content-Disposition: form-data; name=a\r\n\r\n\r\n--x-y z--", .malformedHeader),
      ("--x-y z\r\nContent-Type: text/plain\r\n\r\n\r\n--x-y z--", .missingName),
      (part("name=a\r\nContent-Disposition: form-data; name=b", ""), .malformedHeader),
      (part("name=a; name=b", ""), .missingName), (part("filename=a", ""), .missingName),
      (part("name=\"\"", ""), .missingName), (part("name=\"a", ""), .missingName),
      (part("name=a b", ""), .missingName), (part("name=a\u{1}", ""), .malformedHeader),
      (part("name=\"\(String(repeating: "a", count: 513))\"", ""), .nameTooLong),
      (part("name=a\r\nX: \(String(repeating: "a", count: 5000))", ""), .headersTooLarge),
      (part("name=a" + String(repeating: "\r\nX: y", count: 16), ""), .headersTooLarge),
      (part("name=a\r\nContent-Type: nothing", ""), .malformedHeader),
      (part("name=a\r\nContent-Transfer-Encoding: base64", ""), .unsupportedTransferEncoding),
      (String(repeating: part("name=a", ""), count: 257) + "--x-y z--", .tooManyParts),
    ] as [(String, MultipartError)])
  func `Malformed and ambiguous forms are rejected`(_ body: String, _ error: MultipartError) {
    #expect(throws: error) { try form(body) }
  }

  @Test func `Every error has a different message`() {
    let errors: [MultipartError] = [
      .invalidBoundary, .missingFirstBoundary, .missingFinalBoundary, .trailingBytes,
      .malformedBoundary, .tooManyParts, .headersTooLarge, .malformedHeader, .missingName,
      .nameTooLong, .unsupportedTransferEncoding,
    ]
    #expect(Set(errors.map(\.message)).count == errors.count)
  }

  @Test func `Names must be UTF-8`() {
    let head = "--x-y z\r\nContent-Disposition: form-data; name=\"a"
    let bytes = Array(head.utf8) + [0xFF] + Array("\"\r\n\r\n\r\n--x-y z--".utf8)
    #expect(throws: MultipartError.malformedHeader) { try form(bytes) }
  }

  @Test(arguments: [
    "multipart/form-data", "multipart/form-data; boundary=\"\"",
    "multipart/form-data; boundary=\"a \"", "multipart/form-data; boundary=\"ä\"",
    "multipart/form-data; boundary=\(String(repeating: "a", count: 71))",
  ])
  func `Invalid boundaries are rejected`(_ text: String) throws {
    let type = try #require(MediaType(text))
    #expect(throws: MultipartError.invalidBoundary) { try MultipartForm(Array("--a--".utf8), type) }
  }

  @Test(arguments: ["", "image", "image/", "/png", "image/png/x", "image/png;", "a b/c", "a/b; c"])
  func `Malformed media types are rejected`(_ text: String) {
    #expect(MediaType(text) == nil)
  }

  @Test func `Arbitrary contents are read back unchanged`() throws {
    var generator = SeededGenerator(seed: 7)
    let pieces = ["\r", "\n", "\r\n", "--", "x-y z", "\r\n--x-y ", "\0", "ü"].map { Array($0.utf8) }
    for _ in 0..<200 {
      let contents = (0..<3).map { _ in
        (0..<Int.random(in: 0...9, using: &generator)).flatMap { _ in
          pieces[Int.random(in: 0..<pieces.count, using: &generator)]
        }
      }
      guard !contents.contains(where: Self.holdsBoundary) else { continue }
      let body = contents.flatMap { content in
        Array("--x-y z\r\nContent-Disposition: form-data; name=a\r\n\r\n".utf8) + content
          + Array("\r\n".utf8)
      }
      #expect(try form(body + Array("--x-y z--".utf8)).parts.map(\.content) == contents)
    }
  }

  private static func holdsBoundary(_ content: [UInt8]) -> Bool {
    // The content must not contain the delimiter, even together with the preceding line break.
    String(decoding: [13, 10] + content, as: UTF8.self).utf8.split(separator: 13).contains {
      $0.starts(with: Array("\n--x-y z".utf8))
    }
  }

  @Test func `A damaged form is rejected, or its parts are ranges of the body`() {
    let whole = Array(
      (Self.part("name=a; filename=\"b\"\r\nContent-Type: image/png", "content\r\n--x")
        + Self.part("name=\"c\"", "[1]") + "--x-y z--\r\n").utf8)
    var generator = SeededGenerator(seed: 1)
    var (good, bad) = (0, 0)
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &generator) { bytes.damage(&generator) }
      do {
        let parts = try form(bytes).parts
        #expect(parts.reduce(0) { $0 + $1.content.count } <= bytes.count)
        #expect(parts.allSatisfy { !$0.name.isEmpty })
        good += 1
      } catch {
        #expect((error as? MultipartError)?.message.isEmpty == false)
        bad += 1
      }
    }
    #expect(good > 100 && bad > 100)
  }
}

extension [UInt8] {
  /// Changes, removes or repeats some bytes.
  fileprivate mutating func damage(_ generator: inout SeededGenerator) {
    guard !isEmpty else { return }
    let place = Int.random(in: 0..<count, using: &generator)
    let end = Swift.min(count, place + Int.random(in: 1...8, using: &generator))
    switch Int.random(in: 0..<4, using: &generator) {
    case 0: self[place] = UInt8.random(in: 0...255, using: &generator)
    case 1: removeSubrange(place..<end)
    case 2: insert(contentsOf: self[place..<end], at: place)
    default: self[place] = [13, 10, 45, 34, 59, 58].randomElement(using: &generator) ?? 0
    }
  }
}
