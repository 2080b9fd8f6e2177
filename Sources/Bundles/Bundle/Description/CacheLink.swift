/// Outputs that are inputs of the next step and stay in the runtime's memory: the keys and values of the tokens so far.
///
/// A decoder has two of them in each layer, so a link names them by a pattern, in which `*` stands for any text. They are no
/// layers, because no caller sees them. ``StateLink`` is for small values of fixed shape that are copied in each run.
package struct CacheLink: Sendable, Hashable {
  /// The pattern of the outputs' names, such as `present.*.key`.
  package var output: String
  /// The pattern of the inputs' names, such as `past_key_values.*.key`.
  package var input: String
  /// The number of tokens that caches of a fixed shape have memory for; `nil` if the shapes of the model show it.
  package var length: Int?

  /// Creates a link from outputs to inputs.
  package init(output: String, input: String, length: Int? = nil) {
    (self.output, self.input, self.length) = (output, input, length)
  }

  /// Whether the pattern of the inputs matches a name.
  package func matches(input name: String) -> Bool { Self.text(in: name, matching: input) != nil }

  /// Returns the name of the output that is the input of a name in the next step; `nil` if the link does not concern the
  /// input.
  package func output(for name: String) -> String? {
    guard let text = Self.text(in: name, matching: input) else { return nil }
    guard let star = output.firstIndex(of: "*") else { return output }
    return String(output[..<star]) + text + String(output[output.index(after: star)...])
  }

  /// Returns the text that `*` stands for; `nil` if the name does not match.
  ///
  /// A pattern without `*` matches itself.
  private static func text(in name: String, matching pattern: String) -> String? {
    guard let star = pattern.firstIndex(of: "*") else { return name == pattern ? "" : nil }
    let (start, end) = (pattern[..<star], pattern[pattern.index(after: star)...])
    guard name.utf8.count >= start.utf8.count + end.utf8.count, name.hasPrefix(start),
      name.hasSuffix(end)
    else { return nil }
    return String(name.dropFirst(start.count).dropLast(end.count))
  }
}
