import Foundation
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOData

/// A file of `Tests/Fixtures/Data`, named after its error code and location.
struct InvalidFile: Sendable, CustomTestStringConvertible {
  let path: String

  static func all(_ folder: String) -> [InvalidFile] {
    ProjectFiles.entries(of: "Tests/Fixtures/Data/\(folder)").map(InvalidFile.init)
  }

  var name: String { URL(filePath: path).lastPathComponent }
  var testDescription: String { name }

  /// The code, and the line and column if the name has them.
  var expected: (code: String, position: [Int]) {
    let parts = URL(filePath: path).deletingPathExtension().lastPathComponent.split(separator: "--")
      .map(String.init)
    return (
      parts[0],
      parts.dropFirst().prefix(1).flatMap { $0.split(separator: "-").compactMap { Int($0) } }
    )
  }

  /// Returns whether the diagnostics are exactly the one in the file name.
  func matches(_ diagnostics: [Diagnostic]) -> Bool {
    let (code, position) = expected
    guard diagnostics.count == 1, let found = diagnostics.first else { return false }
    return found.code == code
      && [found.line, found.column].prefix(position.count).elementsEqual(position.map { $0 })
  }
}

/// Returns all diagnostics of a dataset, whether or not it can be opened.
func diagnostics(_ open: () throws(ModelError) -> some IndexedDataset) -> [Diagnostic] {
  do throws(ModelError) {
    let data = try open()
    return data.errors + data.warnings
  } catch {
    guard let diagnostics = error.diagnostics(of: ModelError.invalidData) else {
      return [Diagnostic(.error, code: error.code, path: "", message: error.message)]
    }
    return diagnostics
  }
}

extension TemporaryFolder {
  /// Writes a gray image of a size.
  @discardableResult
  func draw(_ name: String, width: Int, height: Int, gray: UInt8 = 99) throws -> String {
    let pixels = [UInt8](repeating: gray, count: width * height)
    let image = try ImageBuffer(width: width, height: height, format: .gray, pixels: pixels)
    return try write(image.encoded(as: ImageEncoding.png), to: name)
  }

  /// Writes the images that the fixtures refer to, and a text file with an image extension.
  func writeFixtureImages(in folder: String = "") throws {
    for name in ["a", "b"] { try draw("\(folder)\(name).png", width: 40, height: 20) }
    try write("not an image", to: "\(folder)text.png")
  }
}
