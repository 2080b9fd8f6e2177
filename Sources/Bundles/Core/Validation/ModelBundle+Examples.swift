public import TensorIOBundle
import TensorIOImage
import TensorIOJSON

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The values of a bundle's examples.
///
/// They have the syntax of the inputs and outputs of the command line, except that file names are
/// relative to the bundle.
extension ModelBundle {
  /// The prefix of the name of a JSON file.
  static let filePrefix = "@"
  /// The prefix of bytes in base64.
  package static let base64Prefix = "base64:"
  /// The maximum size of a file of an example, in bytes.
  static let maxExampleBytes = 1 << 26

  /// Returns the input of an example.
  ///
  /// - Throws: A ``ModelError`` if the example's input does not fit the model or a file cannot be
  ///   read.
  public func input(of example: ModelExample) throws(ModelError) -> ModelInput {
    let reader = JSONInputReader(
      description.callerInputs, placeholders: description.inputs
    ) { (text, layer) throws(ModelError) in try value(text, for: layer) }
    return try reader.input(try exampleValue(example.inputText))
  }

  /// Returns a value of an example, which may be in a separate JSON file.
  func exampleValue(_ text: String) throws(ModelError) -> JSONNode {
    guard let value = JSONNode(compactJSON: text) else {
      throw ModelError(.input, .invalidValue("the example is not valid JSON"))
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

  /// Returns the value of a string: base64 bytes, an image of the bundle, or the string itself.
  private func value(_ text: String, for layer: Layer) throws(ModelError) -> LayerValue {
    if text.hasPrefix(Self.base64Prefix) { return .bytes(try exampleBytes(text)) }
    switch layer.kind {
    case .image: return .bytes(try imageBytes(text))
    case .string: return .bytes(Array(text.utf8))
    case .text: return .strings([text])
    case .audio: return .bytes(try folder.bytes(of: text, limit: Self.maxExampleBytes))
    case .array, .scalar: return text.layerValue
    }
  }

  /// Returns the contents of an image file of the bundle.
  func imageBytes(_ name: String) throws(ModelError) -> [UInt8] {
    try folder.bytes(of: name, limit: ImageLimits.maxFileBytes)
  }

  /// Decodes base64 bytes.
  func exampleBytes(_ text: String) throws(ModelError) -> [UInt8] {
    guard text.hasPrefix(Self.base64Prefix),
      let data = Data(base64Encoded: String(text.dropFirst(Self.base64Prefix.count)))
    else {
      throw ModelError(.input, .invalidValue("invalid base64 after 'base64:'"))
    }
    return [UInt8](data)
  }
}
