package import TensorIOJSON
package import TensorIOSystem

/// A chat template: a program in a subset of Jinja that turns messages into the text that a model continues.
///
/// It renders as `transformers` does with `trim_blocks` and `lstrip_blocks`: values are printed in Python's form, and
/// `{% generation %}`, `raise_exception` and `strftime_now` exist. What loads other templates or changes values is an
/// error when the template is parsed. A template cannot reach anything but its input, and ``TemplateLimits`` bound its
/// time and memory.
///
/// ```swift
/// let template = try ChatTemplate(text)
/// let prompt = try template.render([
///   .init("messages", [["role": "user", "content": "Hi"]]), .init("add_generation_prompt", true),
/// ])
/// ```
package struct ChatTemplate: Sendable {
  let source: TemplateSource
  let statements: [TemplateStatement]
  let names: [TemplateText]
  /// The limits of parsing and rendering.
  package let limits: TemplateLimits

  /// Parses a template.
  ///
  /// - Throws: ``TemplateError`` if the template is invalid, or uses what is not supported.
  package init(_ text: String, limits: TemplateLimits = TemplateLimits()) throws(TemplateError) {
    self.limits = limits
    source = TemplateSource(text)
    guard source.bytes.count <= limits.maxTemplateBytes else {
      let message = "the template has more than \(limits.maxTemplateBytes) bytes"
      throw source.error(.limitExceeded(message: message), at: 0)
    }
    var parser = try TemplateParser(source)
    statements = try parser.template()
    names = parser.names
  }

  /// Whether the template uses a variable.
  package func uses(_ name: String) -> Bool { names.contains { $0.string == name } }

  /// Whether the template contains a text, such as a marker that it writes.
  package func contains(_ text: String) -> Bool {
    String(decoding: source.bytes, as: UTF8.self).contains(text)
  }

  /// Returns the text for values of the template's variables.
  ///
  /// A template tests some variables for `none` and others for being defined. `transformers` gives all templates
  /// `messages`, `tools`, `documents` (`none` if there are none), `add_generation_prompt`, and the special tokens of the
  /// tokenizer such as `bos_token`.
  ///
  /// - Parameters:
  ///   - variables: The values; of equal names, the last one counts.
  ///   - time: The time of `strftime_now`. A template that prints it makes a different text each day, so that no
  ///     beginning of an earlier prompt can be reused.
  /// - Returns: The text.
  /// - Throws: ``TemplateError`` if an operation fails, the template rejects the messages, or a limit is exceeded.
  package func render(
    _ variables: [JSONValue.Member], at time: UTCTimestamp = .now
  ) throws(TemplateError) -> String {
    var renderer = TemplateRenderer(self, time)
    defer { renderer.release() }
    return try renderer.render(variables)
  }
}
