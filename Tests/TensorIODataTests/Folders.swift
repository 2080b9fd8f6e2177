import Foundation
import TensorIOImage
import TensorIOTestSupport
@testable import TensorIOBundle
@testable import TensorIOData

extension TemporaryFolder {
  /// Draws a small gray picture into a file.
  @discardableResult
  func draw(_ name: String, gray: UInt8 = 128) throws -> String {
    let picture = try ImageBuffer(
      width: 4, height: 4, format: .gray, pixels: [UInt8](repeating: gray, count: 16))
    return try write(picture.encoded(as: ImageEncoding.png), to: name)
  }
}

extension Layer {
  static let picture = Layer(
    name: "image",
    kind: .image(ImageLayer(shape: [4, 4, 1], height: 4, width: 4, format: .gray)))
  static let label = Layer(
    name: "label",
    kind: .array(NumericLayer(shape: TensorShape(signedDimensions: [-1, 1]), elementType: .int32)))
  static func numbers(_ name: String, _ count: Int, _ type: ElementType? = nil) -> Layer {
    Layer(
      name: name, kind: .array(NumericLayer(shape: TensorShape(signedDimensions: [count]), elementType: type))
    )
  }
}

/// What is wrong with data, as code, place and line.
func problems(
  _ path: String, _ layers: [Layer], _ labels: [String] = []
) -> [String] {
  do throws(ModelError) {
    _ = try ExampleDataset(at: path, for: layers, labels: labels)
    return []
  } catch {
    guard case .invalidData(let problems) = error.reason else { return [error.code] }
    return problems.map { problem in
      let place = [problem.line, problem.column].compactMap { $0.map { "\($0)" } }
        .joined(separator: ":")
      return [problem.code, problem.path, place].filter { !$0.isEmpty }.joined(separator: " ")
    }
  }
}

/// The bytes of a file.
func bytes(of path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(filePath: path))) }

extension TemporaryFolder {
  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(path)/\(name)")
  }
}
