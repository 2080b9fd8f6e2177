import Foundation

/// A temporary folder that is removed when the value is deinitialized.
public final class TemporaryFolder: Sendable {
  /// The path of the folder.
  public let path: String

  /// Creates an empty folder.
  public init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appending(path: "tensorio-test-\(UUID().uuidString)").resolvingSymlinksInPath().path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a string to a file and creates its parent folders.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// Writes bytes to a file and creates its parent folders.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws -> String {
    let url = URL(filePath: path).appending(path: name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return url.path
  }

  /// Copies a file or folder into this folder.
  @discardableResult
  public func copy(_ source: String, as name: String) throws -> String {
    let target = "\(path)/\(name)"
    try FileManager.default.copyItem(atPath: source, toPath: target)
    return target
  }

  /// Creates a symbolic link, whose target need not exist.
  public func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/\(name)", withDestinationPath: target)
  }

  /// The names of the entries, sorted.
  public var entries: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}
