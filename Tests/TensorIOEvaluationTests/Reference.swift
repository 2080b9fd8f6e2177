import Foundation
import TensorIOTestSupport
import Testing

/// Random cases of a metric, with what the reference libraries say of them.
struct Reference: Sendable, CustomTestStringConvertible {
  private static let folder = ".build/metric-references"
  static let families = [
    "classification", "curves", "detection", "deviation", "latency", "segmentation",
  ]

  let path: String

  var testDescription: String { (path as NSString).lastPathComponent }

  /// The files of a family; none where `Scripts/metric-references` did not run.
  static func files(of family: String) -> [Reference] {
    ProjectFiles.entries(of: "\(folder)/\(family)", suffix: ".json").map(Reference.init)
  }

  func cases<Case: Decodable>(_ type: Case.Type) throws -> [Case] {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode([Case].self, from: Data(contentsOf: URL(filePath: path)))
  }
}

/// Whether two figures are equal but for rounding, or neither is known.
func agree(_ ours: Double?, _ theirs: Double?, within tolerance: Double = 1e-12) -> Bool {
  guard let ours, let theirs else { return ours == nil && theirs == nil }
  return abs(ours - theirs) <= tolerance * max(1, abs(theirs))
}

/// Whether two lists of figures are.
func agree(_ ours: [Double?], _ theirs: [Double?], within tolerance: Double = 1e-12) -> Bool {
  ours.count == theirs.count && zip(ours, theirs).allSatisfy { agree($0, $1, within: tolerance) }
}

@Suite struct ReferenceTests {
  @Test(arguments: Reference.families)
  func `there are references to compare with`(family: String) {
    #expect(
      !Reference.files(of: family).isEmpty,
      "scikit-learn, pycocotools and numpy have not been asked: run Scripts/metric-references")
  }
}
