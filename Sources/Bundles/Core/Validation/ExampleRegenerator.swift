package import TensorIOBundle
import TensorIOJSON

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// Replaces the expected outputs of a bundle's examples with the outputs of a model.
package struct ExampleRegenerator {
  let bundle: ModelBundle
  let model: Model

  /// Creates a regenerator of a bundle's examples for a model with its inputs and outputs.
  package init(bundle: ModelBundle, model: Model) { (self.bundle, self.model) = (bundle, model) }

  /// Returns the bundle's description with new outputs in its examples and no other changes.
  package func regeneratedDescription() throws(ModelError) -> [UInt8] {
    var text = try bundle.folder.descriptionBytes()
    guard let document = try? JSONDocument(parsing: text, dialect: .modelDescription) else {
      return text
    }
    // In reverse order, so that the ranges of the preceding examples remain valid.
    for (index, example) in bundle.description.examples.enumerated().reversed() {
      guard let output = document.node(at: "/examples/\(index)/output"),
        let actual = try? model.run(bundle.input(of: example))
      else { continue }
      text.replaceSubrange(output.range, with: json(actual, for: example))
    }
    return text
  }

  /// Returns the outputs that an example declares, except images, which are in separate files.
  private func json(_ output: ModelOutput, for example: ModelExample) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      for layer in output.layers where example.outputTexts[layer.name] != nil {
        writer.member(layer.name, layer.value)
      }
    }
    return writer.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, _ value: LayerValue) {
    switch value {
    case .numbers(let numbers):
      key(name)
      self.value(numbers)
    case .classification(let classification):
      key(name)
      numbers(classification.scores)
    case .bytes(let bytes): member(name, Self.base64(bytes))
    case .strings(let strings):
      member(name) { writer in strings.bytes.forEach { writer.value(Self.base64($0)) } }
    case .image, .audio, .tokens, .list: break
    }
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    ModelBundle.base64Prefix + Data(bytes).base64EncodedString()
  }
}
