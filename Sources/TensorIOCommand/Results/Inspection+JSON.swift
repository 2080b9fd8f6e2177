internal import TensorIO
internal import TensorIOAnswers
internal import TensorIOCore

extension Inspection {
  /// Writes the inspection as one JSON object.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("model", object: writeModel)
      writer.member("inputs", array: { write(inputs, to: &$0) })
      writer.member("outputs", array: { write(outputs, to: &$0) })
      writer.member("signatures", array: writeSignatures)
      writer.member("warnings", array: { writer in problems.forEach { writer.value($0) } })
    }
  }

  func writeModel(_ writer: inout JSONWriter) {
    let description = bundle.description
    writer.member("id", description.id)
    writer.member("name", description.name)
    writer.member("details", description.details)
    writer.member("version", description.version)
    writer.member("author", description.author)
    writer.member("license", description.license)
    writer.member("backend", bundle.backend.rawValue)
    writer.member("file", description.modelFile)
    writer.member("placeholder", description.isPlaceholder)
    writer.member("quantized", description.isQuantized)
    writer.member(
      "modes",
      array: { writer in
        description.modes.map(\.rawValue).sorted().forEach { writer.value($0) }
      })
    if let type = description.type { writer.member("type", type) }
  }

  private func write(_ pairs: [Pair], to writer: inout JSONWriter) {
    for pair in pairs {
      writer.object { writer in
        writer.optional("declared", pair.declared) { $0.object(pair: $1) }
        writer.optional("actual", pair.actual) { $0.object(tensor: $1) }
      }
    }
  }

  private func writeSignatures(_ writer: inout JSONWriter) {
    for signature in model?.signatures ?? [] {
      writer.object { writer in
        writer.member("name", signature.name)
        writer.member(
          "inputs",
          array: { writer in
            signature.inputs.forEach { writer.object(tensor: $0) }
          })
        writer.member(
          "outputs",
          array: { writer in
            signature.outputs.forEach { writer.object(tensor: $0) }
          })
      }
    }
  }
}

extension JSONWriter {
  mutating func object(pair layer: Layer) {
    object { $0.declaration(of: layer) }
  }

  fileprivate mutating func object(tensor: TensorInfo) {
    object { writer in
      writer.member("name", tensor.name)
      if let key = tensor.key { writer.member("key", key) }
      writer.member("dtype", tensor.elementType.rawValue)
      writer.key("shape")
      writer.numbers(tensor.shape.signed)
      writer.optional("quantization", tensor.quantization) { writer, code in
        writer.object { writer in
          writer.member("scale", code.scale)
          writer.member("zero_point", code.zeroPoint)
        }
      }
    }
  }
}
