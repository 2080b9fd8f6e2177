import Foundation
import TensorIOTestSupport
import Testing

/// A file of cases for one bundle.
struct CaseFile: Sendable, CustomTestStringConvertible {
  let name: String
  let tree: JSONTree
  var testDescription: String { name }

  /// Whether the model is outside the repository.
  var isShared: Bool { model.isShared }

  private var model: FixturePath {
    FixturePath(tree["bundle"]?.string ?? tree["model"]?.string ?? "")
  }

  /// All files whose bundles are available.
  static let all =
    ["Tests/Bindings/Conformance/Cases", "Tests/Fixtures/Conformance/cases"]
    .flatMap { ProjectFiles.entries(of: $0, suffix: ".json") }
    .flatMap(read).filter(\.model.isAvailable)

  /// The file at a path, once for each of its bundles.
  private static func read(_ path: String) -> [CaseFile] {
    let name = URL(filePath: path).deletingPathExtension().lastPathComponent
    // An unreadable file has to fail a test instead of being omitted.
    let tree = (try? JSONTree(contentsOf: path)) ?? .null
    guard let bundles = tree["bundles"]?.array, let members = tree.object else {
      return [CaseFile(name: name, tree: tree)]
    }
    return bundles.map { bundle in
      CaseFile(
        name: "\(name) \(bundle.string ?? "")",
        tree: .object(members.merging(["bundle": bundle]) { $1 }))
    }
  }

  /// The cases of all files.
  static let cases: [ConformanceCase] = all.flatMap { file in
    (file.tree["cases"]?.array ?? []).enumerated().map {
      ConformanceCase(file: file, number: $0 + 1, tree: $1)
    }
  }

  /// The files for bundles that can be opened.
  static let valid = all.filter { $0.tree["opens"] == nil }
  /// The files for invalid bundles.
  static let invalid = all.filter { $0.tree["opens"] != nil }
}

/// An input of a bundle and the expected output.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
  let file: CaseFile
  let number: Int
  let tree: JSONTree

  var testDescription: String { "\(file.name) \(number)" }
  var tolerance: Double {
    tree["tolerance"]?.number ?? file.tree["tolerance"]?.number ?? 0
  }
  var imagePath: String? { tree["picture"]?.string.map { FixturePath($0).path } }
}
