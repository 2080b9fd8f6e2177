/// Outputs that are inputs of the next step and stay in the runtime's memory: the keys and values of earlier tokens.
///
/// A decoder has two of them in each layer, so a link names them by a pattern, in which `*` matches any text. They have no
/// layers, because callers never access them. ``StateLink`` is for small values of fixed shape that are copied in each run.
package struct CacheLink: Sendable, Hashable {
  /// The pattern of the outputs' names, such as `present.*.key`.
  package var output: String
  /// The pattern of the inputs' names, such as `past_key_values.*.key`.
  package var input: String
  /// The function whose outputs, or inputs, they are, run once for a sequence; `nil` for outputs of each step.
  package var function: String?
  /// Whether the outputs of the first step stay as they are.
  package var isConstant: Bool
  /// The number of tokens that caches of a fixed shape have memory for; `nil` if the shapes of the model show it.
  package var length: Int?

  /// Creates a link from outputs to inputs.
  package init(
    output: String, input: String, function: String? = nil, isConstant: Bool = false,
    length: Int? = nil
  ) {
    (self.output, self.input, self.length) = (output, input, length)
    (self.function, self.isConstant) = (function, isConstant)
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

  /// Returns the text that `*` matches; `nil` if the name does not match.
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

extension [CacheLink] {
  /// A cache of a model, by the names of its input and its output.
  package typealias Cache = (input: String, output: String, link: CacheLink)

  /// Returns the caches of a model, each once.
  ///
  /// - Parameter inputs: The names of the model's inputs.
  /// - Returns: The caches, in the order of the links and of the inputs.
  /// - Throws: A ``ModelError`` if a link matches no input.
  package func caches(among inputs: [String]) throws(ModelError) -> [Cache] {
    var caches: [Cache] = []
    for link in self {
      let matching = inputs.filter(link.matches)
      guard !matching.isEmpty else {
        throw ModelError(
          .bundle, .unmetRequirement("the model has no input '\(link.input)' for a cache"))
      }
      for name in matching where !caches.contains(where: { $0.input == name }) {
        caches.append((name, link.output(for: name) ?? name, link))
      }
    }
    return caches
  }
}
