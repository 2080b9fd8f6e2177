import TensorIOJSON
import TensorIOSystem
import TensorIOTemplates

/// Readers of chat templates.
enum TemplateReaders {
  private static let variables: [JSONValue.Member] = [
    .init(
      "messages",
      [
        ["role": "system", "content": "Be brief."], ["role": "user", "content": "  Hi \u{e9} "],
        ["role": "user", "content": [["type": "text", "text": "look"], ["type": "image"]]],
      ]),
    .init("tools", nil), .init("add_generation_prompt", true), .init("bos_token", "<s>"),
    .init("words", ["b", "a", "C"]), .init("map", ["k": "v", "a": 1]), .init("n", 7),
    .init("x", 1.5),
  ]

  /// A template renders within its limits, and the same text each time.
  static func template(_ bytes: [UInt8]) throws(PropertyViolation) {
    var limits = TemplateLimits()
    limits.maxSteps = 20_000
    limits.maxOutputBytes = 1 << 16
    let text = String(decoding: bytes, as: UTF8.self)
    guard let template = unlessRejected({ try ChatTemplate(text, limits: limits) }) else { return }
    let time = UTCTimestamp(unixNanoseconds: 1_805_036_966_535_000_000)
    let rendered = unlessRejected { try template.render(variables, at: time) }
    try verify((rendered?.utf8.count ?? 0) <= limits.maxOutputBytes, "a text exceeds its limit")
    let again = unlessRejected { try template.render(variables, at: time) }
    try verify(rendered == again, "a template renders two texts")
  }
}
