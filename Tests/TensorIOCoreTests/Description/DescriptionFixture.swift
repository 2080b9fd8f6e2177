import Foundation
import TensorIOTestSupport

/// A file of `Tests/Fixtures/Descriptions`.
struct DescriptionFixture: Sendable, CustomStringConvertible {
  let url: URL

  /// The file's name without its ending.
  var name: String { url.deletingPathExtension().lastPathComponent }

  var description: String { name }

  func bytes() throws -> [UInt8] { try [UInt8](Data(contentsOf: url)) }

  /// The fixtures of a folder, by name.
  static func all(in folder: String) -> [DescriptionFixture] {
    let url = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Fixtures/Descriptions/\(folder)").standardized
    return files(in: url).map(DescriptionFixture.init)
  }

  /// The JSON files of a folder, by name; none when it is not there.
  static func files(in folder: URL) -> [URL] {
    let files = try? FileManager.default.contentsOfDirectory(
      at: folder, includingPropertiesForKeys: nil)
    return (files ?? []).filter { $0.pathExtension == "json" }.sorted { $0.path < $1.path }
  }
}

extension DescriptionFixture {
  /// What an invalid fixture's name says: `[schema-]<pointer with ~ for slashes>--<code>`.
  var expectation: (path: String, code: String)? {
    let bare = name.hasPrefix("schema-") ? String(name.dropFirst("schema-".count)) : name
    guard let separator = bare.range(of: "--", options: .backwards) else { return nil }
    let path = bare[..<separator.lowerBound].replacingOccurrences(of: "~", with: "/")
    return (path, String(bare[separator.upperBound...]))
  }

  /// The codes of the warnings that a valid fixture's name lists: `<name>[--<code>+<code>…]`.
  var warnings: [String] {
    guard let separator = name.range(of: "--") else { return [] }
    return name[separator.upperBound...].split(separator: "+").map(String.init)
  }
}

extension SharedFixtures {
  /// The bundles of a folder of the shared fixtures, by name.
  static func bundles(in path: String) -> [String] {
    entries(of: path, suffix: "bundle")
  }

  /// The descriptions of a folder of the shared fixtures, by name.
  static func descriptions(in path: String) -> [DescriptionFixture] {
    guard areAvailable else { return [] }
    return DescriptionFixture.files(in: URL(fileURLWithPath: Self.path(path)))
      .map(DescriptionFixture.init)
  }
}
