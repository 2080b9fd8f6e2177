/// A file or folder in `Tests/Fixtures`, or in the shared fixtures if its name begins with `shared:`.
public struct FixturePath: Sendable {
  private static let sharedPrefix = "shared:"
  private let name: String

  /// Creates the path of a name in a case file.
  public init(_ name: String) {
    self.name = name
  }

  /// Whether the fixture is outside the repository.
  public var isShared: Bool { name.hasPrefix(Self.sharedPrefix) }

  /// Whether the fixture's origin is available.
  public var isAvailable: Bool { !isShared || SharedFixtures.areAvailable }

  /// The absolute path.
  public var path: String {
    isShared
      ? SharedFixtures.path(String(name.dropFirst(Self.sharedPrefix.count)))
      : ProjectFiles.path("Tests/Fixtures/\(name)")
  }
}
