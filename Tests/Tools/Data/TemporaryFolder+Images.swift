import Foundation
import TensorIOImage
import TensorIOTestSupport

@testable import TensorIOBundle
@testable import TensorIOData

extension TemporaryFolder {
  /// Writes a small gray image to a file.
  @discardableResult
  func draw(_ name: String, gray: UInt8 = 128) throws -> String {
    let image = try ImageBuffer(
      width: 4, height: 4, format: .gray, pixels: [UInt8](repeating: gray, count: 16))
    return try write(image.encoded(as: ImageEncoding.png), to: name)
  }
}

extension Layer {
  static let image = Layer(
    name: "image",
    kind: .image(ImageLayer(shape: [4, 4, 1], height: 4, width: 4, format: .gray)))
  static let label = Layer(
    name: "label",
    kind: .array(NumericLayer(shape: TensorShape(signedDimensions: [-1, 1]), elementType: .int32)))
  static func numbers(_ name: String, _ count: Int, _ type: ElementType? = nil) -> Layer {
    Layer(
      name: name,
      kind: .array(NumericLayer(shape: TensorShape(signedDimensions: [count]), elementType: type))
    )
  }
}

/// Returns the errors of a dataset as code, path and position.
func errors(
  _ path: String, _ layers: [Layer], _ labels: [String] = []
) -> [String] {
  do throws(ModelError) {
    _ = try ExampleDataset(at: path, for: layers, labels: labels)
    return []
  } catch {
    guard let diagnostics = error.diagnostics(of: ModelError.invalidData) else {
      return [error.code]
    }
    return diagnostics.map { diagnostic in
      let position = [diagnostic.line, diagnostic.column].compactMap { $0.map { "\($0)" } }
        .joined(separator: ":")
      return [diagnostic.code, diagnostic.path, position].filter { !$0.isEmpty }
        .joined(separator: " ")
    }
  }
}

/// Reads a file.
func bytes(of path: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(filePath: path))) }

extension TemporaryFolder {
  func remove(_ name: String) throws {
    try FileManager.default.removeItem(atPath: "\(path)/\(name)")
  }
}
