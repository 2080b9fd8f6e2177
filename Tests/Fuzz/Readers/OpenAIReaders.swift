import TensorIOJSON

@testable import TensorIOGeneration
@testable import TensorIOServer

/// Readers of requests of OpenAI's routes, and of what models write.
enum OpenAIReaders {
  /// The name that is found without parsing is the one in the body, and no body stops the parsing of its members.
  static func request(_ bytes: [UInt8]) throws(PropertyViolation) {
    let found = ModelNameScanner.model(in: bytes)
    guard let root = unlessRejected({ try JSONDocument(parsing: bytes).root }) else { return }
    if let found {
      // A key with escapes is not found, and its request waits in the lane of no model.
      try verify(root["model"]?.string == found, "another name was found")
    }
    guard root.kind == .object else {
      return try verify(found == nil, "a name was found outside of an object")
    }
    for form: GenerationRequest.Form in [.chat, .completions, .responses] {
      guard let request = unlessRejected({ try GenerationRequest(root, form) }) else { continue }
      let count = request.prompts.count * request.textCount
      try verify((1...1024).contains(count), "a request has \(count) texts")
    }
  }

  /// The first byte selects a form of calls. What is found does not depend on the pieces of a text, and calls follow each other.
  static func toolCalls(_ bytes: [UInt8]) throws(PropertyViolation) {
    guard let first = bytes.first else { return }
    let forms: [ToolCallParser.Form] = [.tags, .list, .objects]
    let form = forms[Int(first) % forms.count]
    let text = String(decoding: bytes.dropFirst(), as: UTF8.self)
    let whole = try parts(form, [text])
    try verify(
      whole == parts(form, text.unicodeScalars.map { String(Character($0)) }),
      "what is found depends on how the text was split")
  }

  /// Returns the text and the calls of pieces.
  private static func parts(
    _ form: ToolCallParser.Form, _ pieces: [String]
  ) throws(PropertyViolation) -> [String] {
    var parser = ToolCallParser(form, names: ["f", "g"])
    var events: [ToolCallParser.Event] = []
    for piece in pieces { events += parser.append(piece) }
    events += parser.finish()
    var parts = [""]
    for event in events {
      switch event {
      case .text(let text): parts[0] += text
      case .call(let name): parts += [name, ""]
      case .arguments(let text):
        try verify(parts.count > 1, "arguments precede the first call")
        parts[parts.count - 1] += text
      }
    }
    try verify(parts.count == 1 + 2 * parser.count, "the calls are counted otherwise")
    return parts
  }
}
