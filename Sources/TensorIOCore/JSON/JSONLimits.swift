/// How large and how deep a document may be.
public struct JSONLimits: Sendable, Hashable {
  /// How many bytes it may have.
  public let bytes: Int
  /// How many arrays and objects may be open at once.
  public let depth: Int

  /// The bytes that a `model.json` may have: the largest known one has two thousand.
  public static let descriptionBytes = 1 << 20
  /// The depth that any document may have.
  public static let maximumDepth = 64
  /// The bytes that any document may have, so that offsets and counts fit the tape.
  public static let maximumBytes = 1 << 28 - 1

  /// Limits of a caller's own, within those that hold for any document.
  public init(bytes: Int, depth: Int = JSONLimits.maximumDepth) {
    self.bytes = min(bytes, JSONLimits.maximumBytes)
    self.depth = min(depth, JSONLimits.maximumDepth)
  }

  /// The limits of a `model.json`.
  public static let description = JSONLimits(bytes: descriptionBytes)
}
