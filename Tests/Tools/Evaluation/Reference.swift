import Foundation
import TensorIOTestSupport
import Testing

/// A file with random cases of a metric and the results of the reference libraries.
struct Reference: Sendable, CustomTestStringConvertible {
  private static let folder = ".build/metric-references"
  static let families = [
    "answers", "boundaries", "classification", "curves", "detection", "deviation", "entities",
    "heads", "poses",
    "keypoints", "latency", "masks", "outlines", "segmentation", "significance", "transcripts",
  ]

  let path: String

  var testDescription: String { (path as NSString).lastPathComponent }

  /// Returns the files of a family; none if `Scripts/fixtures/metric-references` has not been run.
  static func files(of family: String) -> [Reference] {
    ProjectFiles.entries(of: "\(folder)/\(family)", suffix: ".json").map(Reference.init)
  }

  func cases<Case: Decodable>(_ type: Case.Type) throws -> [Case] {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode([Case].self, from: Data(contentsOf: URL(filePath: path)))
  }
}

/// Returns whether two values are equal except for rounding, or both `nil`.
func agree(_ actual: Double?, _ expected: Double?, within tolerance: Double = 1e-12) -> Bool {
  guard let actual, let expected else { return actual == nil && expected == nil }
  return abs(actual - expected) <= tolerance * max(1, abs(expected))
}

/// Returns whether two lists of values are equal except for rounding.
func agree(_ actual: [Double?], _ expected: [Double?], within tolerance: Double = 1e-12) -> Bool {
  actual.count == expected.count
    && zip(actual, expected).allSatisfy { agree($0, $1, within: tolerance) }
}

@Suite struct ReferenceTests {
  @Test(arguments: Reference.families)
  func `Reference results exist`(family: String) {
    #expect(
      !Reference.files(of: family).isEmpty,
      "no results of scikit-learn, pycocotools and NumPy: run Scripts/fixtures/metric-references")
  }
}
