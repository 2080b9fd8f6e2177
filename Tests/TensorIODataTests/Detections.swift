import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOData

/// A file of `Tests/Fixtures/Data`, whose name says what is wrong with it and where.
struct FaultyFile: Sendable, CustomTestStringConvertible {
  let path: String

  static func all(_ folder: String) -> [FaultyFile] {
    ProjectFiles.entries(of: "Tests/Fixtures/Data/\(folder)").map(FaultyFile.init)
  }

  var name: String { DataPath.lastComponent(of: path) }
  var testDescription: String { name }

  /// The code, and the line and column as far as the name has them.
  var expected: (code: String, place: [Int]) {
    let parts = DataPath.stem(of: name).split(separator: "--").map(String.init)
    return (
      parts[0],
      parts.dropFirst().prefix(1).flatMap { $0.split(separator: "-").compactMap { Int($0) } }
    )
  }

  /// Whether problems are the one that the name tells.
  func isTold(by problems: [Diagnostic]) -> Bool {
    let (code, place) = expected
    guard problems.count == 1, let problem = problems.first else { return false }
    return problem.code == code
      && [problem.line, problem.column].prefix(place.count).elementsEqual(place.map { $0 })
  }
}

/// All that is told of data, whether it can be opened or not.
func told(_ open: () throws(ModelError) -> some IndexedDataset) -> [Diagnostic] {
  do throws(ModelError) {
    let data = try open()
    return data.errors + data.warnings
  } catch {
    guard case .invalidData(let problems) = error.reason else {
      return [Diagnostic(.error, code: error.code, path: "", message: error.message)]
    }
    return problems
  }
}

extension TemporaryFolder {
  /// Draws a gray picture of a size.
  @discardableResult
  func draw(_ name: String, width: Int, height: Int, gray: UInt8 = 99) throws -> String {
    let pixels = [UInt8](repeating: gray, count: width * height)
    let picture = try ImageBuffer(width: width, height: height, format: .gray, pixels: pixels)
    return try write(picture.encoded(as: ImageEncoding.png), to: name)
  }

  /// The pictures that the fixtures name, and one that is none.
  func drawFixturePictures(in folder: String = "") throws {
    for name in ["a", "b"] { try draw("\(folder)\(name).png", width: 40, height: 20) }
    try write("no picture", to: "\(folder)text.png")
  }
}
