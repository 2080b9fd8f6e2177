@testable import TensorIOServer
@testable import TensorIOStudio

/// Readers of what comes over a connection.
enum ServerReaders {
  private static let bodyLimit = 1 << 16

  /// The same requests come whatever pieces the bytes come in.
  static func http(_ bytes: [UInt8]) throws(BrokenPromise) {
    let whole = requests([bytes[...]])
    let piecewise = requests(Array(Pieces(of: bytes)))
    try promise(whole == piecewise, "requests depend on how their bytes were cut")
  }

  /// What comes of the bytes, as words that can be compared.
  private static func requests(_ pieces: [ArraySlice<UInt8>]) -> [String] {
    var parser = RequestParser()
    var events: [String] = []
    do throws(HTTPRejection) {
      for piece in pieces {
        parser.append(piece)
        while let event = try parser.nextEvent() {
          events.append("\(event)")
          if case .head = event { try parser.acceptBody(maxBytes: bodyLimit) }
        }
      }
    } catch {
      events.append("\(error.response.status)")
    }
    return events
  }

  /// The first line is the type of the form, the rest its body; the parts' bytes are the body's.
  static func form(_ bytes: [UInt8]) throws(BrokenPromise) {
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") }
    guard let type = MediaType(String(decoding: line, as: UTF8.self)) else { return }
    let body = Array(bytes.dropFirst(line.count + 1))
    guard let form = unlessRefused({ try MultipartForm(body, type) }) else { return }
    try promise(form.parts.count <= MultipartLimits.maxParts, "more parts than a form may have")
    try promise(
      form.parts.reduce(0) { $0 + $1.content.count } <= body.count, "parts of more than the body")
  }

  /// What a first line asks for; a picture that is brought goes into the folder of its label.
  static func target(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let target = RequestTarget(String(decoding: bytes, as: UTF8.self)) else { return }
    for word in target.pathSegments {
      try promise(!["", ".", ".."].contains(word) && !word.contains("/"), "a path leads elsewhere")
    }
    _ = unlessRefused { try PredictParameters(target.queryItems) }
    guard let path = target["path"].flatMap(UploadPath.init) else { return }
    for word in [path.label, path.file] {
      try promise(
        !word.isEmpty && !word.hasPrefix(".") && !word.contains("/"), "a picture gets out")
    }
  }
}
