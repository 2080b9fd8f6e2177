import Foundation
import TensorIOTestSupport
import Testing

/// A file of cases about one bundle.
struct CaseFile: Sendable, CustomTestStringConvertible {
  let name: String
  let tree: JSONTree
  var testDescription: String { name }

  /// All files; none where the shared fixtures are not there.
  static let all: [CaseFile] = {
    guard SharedFixtures.areAvailable else { return [] }
    return ProjectFiles.entries(of: "Tests/TensorIOConformanceTests/Cases", suffix: ".json")
      .flatMap(read)
  }()

  /// The file at a path, once for every bundle that it is about.
  private static func read(_ path: String) -> [CaseFile] {
    let name = URL(filePath: path).deletingPathExtension().lastPathComponent
    // A file that cannot be read must fail a test, not vanish.
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

  /// The files about bundles that can be opened.
  static let valid = all.filter { $0.tree["opens"] == nil }
  /// The files about bundles that cannot.
  static let invalid = all.filter { $0.tree["opens"] != nil }
}

/// One input of a bundle and what it answers.
struct ConformanceCase: Sendable, CustomTestStringConvertible {
  let file: CaseFile
  let number: Int
  let tree: JSONTree

  var testDescription: String { "\(file.name) \(number)" }
  var tolerance: Double {
    tree["tolerance"]?.number ?? file.tree["tolerance"]?.number ?? 0
  }
  var picture: String? { tree["picture"]?.string.map(SharedFixtures.path) }
}
