public import Foundation

/// A file of `Tests/Fixtures/Descriptions`.
public struct DescriptionFixture: Sendable, CustomStringConvertible {
  public let url: URL

  /// The descriptions that are valid.
  public static let valid = all(in: "valid")
  /// The descriptions that are rejected.
  public static let invalid = all(in: "invalid")

  /// The file's name without extension.
  public var name: String { url.deletingPathExtension().lastPathComponent }

  public var description: String { name }

  public func bytes() throws -> [UInt8] { try [UInt8](Data(contentsOf: url)) }

  /// Returns the fixtures in a folder, sorted by name.
  private static func all(in folder: String) -> [DescriptionFixture] {
    let url = ProjectFiles.root.appending(path: "Tests/Fixtures/Descriptions/\(folder)")
    return files(in: url).map(DescriptionFixture.init)
  }

  /// Returns the JSON files in a folder, sorted by name; empty if it does not exist.
  static func files(in folder: URL) -> [URL] {
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
  }
}

extension DescriptionFixture {
  /// The expected error from an invalid fixture's name: `[schema-]<pointer, ~ for slashes>--<code>`.
  public var expectation: (path: String, code: String)? {
    let bare = name.hasPrefix("schema-") ? String(name.dropFirst("schema-".count)) : name
    guard let separator = bare.range(of: "--", options: .backwards) else { return nil }
    let path = bare[..<separator.lowerBound].replacingOccurrences(of: "~", with: "/")
    return (path, String(bare[separator.upperBound...]))
  }

  /// The expected warnings from a valid fixture's name: `<name>[--<code>+<code>…]`.
  public var warnings: [String] {
    guard let separator = name.range(of: "--") else { return [] }
    return name[separator.upperBound...].split(separator: "+").map(String.init)
  }
}

extension SharedFixtures {
  /// Returns the bundles in a folder of the shared fixtures, sorted by name.
  public static func bundles(in path: String) -> [String] {
    entries(of: path, suffix: "bundle")
  }

  /// Returns the descriptions in a folder of the shared fixtures, sorted by name.
  public static func descriptions(in path: String) -> [DescriptionFixture] {
    guard areAvailable else { return [] }
    return DescriptionFixture.files(in: URL(fileURLWithPath: Self.path(path)))
      .map(DescriptionFixture.init)
  }
}
