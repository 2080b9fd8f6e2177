public import TensorIOBundle
import TensorIOImage
import TensorIOJSON

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The values that the examples of a bundle are written with.
///
/// They are what `tensorio run` takes and prints, but that names of files are those of the bundle's
/// own.
extension ModelBundle {
  /// What comes before the name of a JSON file.
  static let filePrefix = "@"
  /// What comes before bytes that are written out.
  package static let base64Prefix = "base64:"
  /// The most bytes that a file of an example may have.
  static let maxExampleBytes = 1 << 26

  /// What an example gives to the model.
  public func input(of example: ModelExample) throws(ModelError) -> ModelInput {
    let reader = JSONInputReader(
      description.callerInputs, placeholders: description.inputs
    ) { (text, layer) throws(ModelError) in try value(text, for: layer) }
    return try reader.input(try exampleValue(example.input))
  }

  /// A value of an example: what is written there, or what the file has that it names.
  func exampleValue(_ text: String) throws(ModelError) -> JSONNode {
    guard let value = JSONNode(compactJSON: text) else {
      throw ModelError(.input, .invalidValue("the example is not JSON"))
    }
    guard let name = value.string, name.hasPrefix(Self.filePrefix) else { return value }
    return try document(String(name.dropFirst(Self.filePrefix.count)))
  }

  private func document(_ name: String) throws(ModelError) -> JSONNode {
    let bytes = try folder.bytes(of: name, limit: Self.maxExampleBytes)
    do throws(JSONError) {
      return try JSONDocument(
        parsing: bytes, limits: JSONLimits(bytes: Self.maxExampleBytes), dialect: .modelDescription
      ).root
    } catch {
      throw ModelError(.input, .invalidJSON(error), file: name)
    }
  }

  /// What a text stands for: bytes that are written out, a picture of the bundle, or itself.
  private func value(_ text: String, for layer: Layer) throws(ModelError) -> LayerValue {
    if text.hasPrefix(Self.base64Prefix) { return .bytes(try exampleBytes(text)) }
    switch layer.kind {
    case .image: return .bytes(try imageBytes(text))
    case .string: return .bytes(Array(text.utf8))
    case .array, .scalar: return text.layerValue
    }
  }

  /// The file of a picture.
  func imageBytes(_ name: String) throws(ModelError) -> [UInt8] {
    try folder.bytes(of: name, limit: ImageLimits.maxFileBytes)
  }

  /// The bytes that a text writes out.
  func exampleBytes(_ text: String) throws(ModelError) -> [UInt8] {
    guard text.hasPrefix(Self.base64Prefix),
      let data = Data(base64Encoded: String(text.dropFirst(Self.base64Prefix.count)))
    else {
      throw ModelError(.input, .invalidValue("what follows base64: is not base64"))
    }
    return [UInt8](data)
  }
}
