import Foundation
import TensorIO

/// The Python package, which is the side with the goals, in comparison with Swift.
///
/// `Python/tests/test_conformance.py` compares the results.
extension Job {
  static let pythonPackage = [
    Job(
      "python-rows", "Python package: \(rowCount) rows in one call",
      against: "Swift's `run(batch:)`", .time(times: 1.1)
    ) {
      let model = try Model(ModelBundle(at: Place.tinyBundle), options: options)
      let rows = (0..<rowCount).map { row in
        (0..<10).map { Float((row * 7 + $0) % 100) / 1_000 }
      }
      return Contest(
        try .package("rows"),
        against: try .repeating { for _ in 0..<$0 { _ = try model.run(batch: rows) } },
        agreement: "not compared here")
    },
    Job(
      "python-image", "Python package: a JPEG file to its result", against: "Swift's `run`",
      .time(times: 1 / 0.97)
    ) {
      let model = try Model(
        ModelBundle(at: Place.detectorBundle), options: options)
      let file = Place.detectorBundle + "/samples/1.jpg"
      return Contest(
        try .package("image"),
        against: try .repeating {
          for _ in 0..<$0 { _ = try model.run(ImageBuffer(contentsOf: file)) }
        },
        agreement: "not compared here")
    },
  ]

  private static let rowCount = 20_000

  private static var options: OpeningOptions {
    OpeningOptions(threads: 1, libraries: [.tflite: Place.library])
  }
}

extension Contender {
  /// The package in the environment of `Scripts/test/python`.
  fileprivate static func package(_ work: String) throws -> Contender {
    guard FileManager.default.fileExists(atPath: Place.packagePython) else {
      throw BenchError.absent(Place.packagePython)
    }
    let words = [Place.packagePython, Place.packageScript, "--rounds", "3", "--iterations", "20"]
    return .peer(words + [work], median: work)
  }
}
