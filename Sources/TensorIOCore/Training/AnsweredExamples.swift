#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The examples of a bundle, with what a model answers in the place of what is written there.
struct AnsweredExamples {
  let bundle: ModelBundle
  let model: Model

  /// The bundle's description, of which all but the examples' outputs stays as it is written.
  func description() throws(ModelError) -> [UInt8] {
    var text = try bundle.folder.descriptionBytes()
    guard let document = try? JSONDocument(parsing: text, dialect: .description) else {
      return text
    }
    // From the last on, so that the places of those before stay.
    for (index, example) in bundle.description.examples.enumerated().reversed() {
      guard let written = document.node(at: "/examples/\(index)/output"),
        let output = try? model.run(bundle.input(of: example))
      else { continue }
      text.replaceSubrange(written.range, with: json(output, for: example))
    }
    return text
  }

  /// What came out of the outputs that an example speaks of, but for pictures, which are files.
  private func json(_ output: ModelOutput, for example: ModelExample) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      for layer in output.layers where example.output[layer.name] != nil {
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
    case .bytes(let bytes): member(name, Self.text(of: bytes))
    case .strings(let strings):
      member(name) { writer in strings.forEach { writer.value(Self.text(of: $0)) } }
    case .image, .list: break
    }
  }

  private static func text(of bytes: [UInt8]) -> String {
    ModelBundle.base64Prefix + Data(bytes).base64EncodedString()
  }
}
