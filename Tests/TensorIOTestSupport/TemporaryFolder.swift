import Foundation

/// A folder of a test's own, gone with the value.
public final class TemporaryFolder: Sendable {
  /// Where it is.
  public let path: String

  /// Makes an empty folder.
  public init() throws {
    path =
      FileManager.default.temporaryDirectory
      .appending(path: "tensorio-test-\(UUID().uuidString)").resolvingSymlinksInPath().path
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a text into a file, making the folders on the way.
  @discardableResult
  public func write(_ text: String, to name: String) throws -> String {
    try write(Array(text.utf8), to: name)
  }

  /// Writes bytes into a file, making the folders on the way.
  @discardableResult
  public func write(_ bytes: [UInt8], to name: String) throws -> String {
    let url = URL(filePath: path).appending(path: name)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(bytes).write(to: url)
    return url.path
  }

  /// Copies a file or folder into this one.
  @discardableResult
  public func copy(_ source: String, as name: String) throws -> String {
    let target = "\(path)/\(name)"
    try FileManager.default.copyItem(atPath: source, toPath: target)
    return target
  }

  /// Makes a link to a file or folder, or to nothing.
  public func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: "\(path)/\(name)", withDestinationPath: target)
  }

  /// The names of what is in it, in order.
  public var entries: [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted()
  }
}
