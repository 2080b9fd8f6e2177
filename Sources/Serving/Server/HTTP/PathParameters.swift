/// The values of a route's path parameters, such as `m` of `name` for the path `/models/m` and the pattern
/// `/models/:name`.
package struct PathParameters: Sendable {
  private let pattern: [PathPatternSegment]
  private let path: [String]

  /// Creates the values for a pattern that the path matches; none by default.
  init(pattern: [PathPatternSegment] = [], path: [String] = []) {
    (self.pattern, self.path) = (pattern, path)
  }

  /// The value of a parameter; `nil` if the pattern does not have it.
  package subscript(name: String) -> String? {
    for (index, segment) in pattern.enumerated() where segment.parameter == name {
      return segment.text.isEmpty
        ? path[index] : String(path[index].dropLast(segment.text.count))
    }
    return nil
  }
}
