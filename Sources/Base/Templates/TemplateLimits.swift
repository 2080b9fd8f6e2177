/// The limits of a template, which is a program of an untrusted author.
///
/// The defaults leave room for a conversation of 200,000 tokens.
package struct TemplateLimits: Sendable, Hashable {
  /// The size of a template, in bytes.
  package var maxTemplateBytes = 1 << 18
  /// The size of the rendered text, and of every text on the way to it, in bytes.
  package var maxOutputBytes = 1 << 20
  /// The number of steps: evaluated expressions, executed statements, and elements and half kilobytes that they
  /// look at.
  package var maxSteps = 5_000_000
  /// The total size of the values that a rendering creates, in bytes, released ones included.
  package var maxCreatedBytes = 1 << 28
  /// The length of a range.
  package var maxRangeCount = 100_000
  /// The number of expressions, statements and calls of macros that are evaluated within one another.
  ///
  /// A stack of 512 KiB, as other threads than the main one can have, is enough for it. A recursive macro takes about eight
  /// of them for each level of the JSON schema that it prints.
  package var maxDepth = 200

  /// The number of values in one another, such as lists in lists.
  static let maxValueDepth = 100
  /// The number of brackets and operators in one another in an expression.
  static let maxExpressionDepth = 50
  /// The number of blocks in one another.
  static let maxBlockDepth = 40

  /// Creates the default limits.
  package init() {}
}
