package import TensorIOCore

/// A ``ModelUse`` as far as runtimes look at it: they find tensors by layers' names and shapes.
package struct WantedUse: Sendable, Hashable {
  package var mode: ModelMode
  package var inputs: [WantedLayer]
  package var placeholders: [WantedLayer]
  package var outputs: [WantedLayer]
  package var threads: Int

  /// What matters of a use.
  package init(_ use: ModelUse) {
    mode = use.mode
    inputs = use.inputs.map(WantedLayer.init)
    placeholders = use.placeholders.map(WantedLayer.init)
    outputs = use.outputs.map(WantedLayer.init)
    threads = use.threads
  }

  /// The use again.
  package var use: ModelUse {
    var description = ModelDescription(
      inputs: inputs.map(\.layer), outputs: outputs.map(\.layer))
    description.placeholders = placeholders.map(\.layer)
    return ModelUse(description, mode: mode, threads: threads)
  }
}

/// A layer's name and shape.
package struct WantedLayer: Sendable, Hashable {
  package var name: String
  package var isScalar: Bool
  package var shape: TensorShape

  package init(_ layer: Layer) {
    name = layer.name
    shape = layer.shape
    isScalar = if case .scalar = layer.kind { true } else { false }
  }

  /// A layer of that name and shape; whether it is a picture, a runtime does not see.
  package var layer: Layer {
    let numbers = NumericLayer(shape: shape)
    return Layer(name: name, kind: isScalar ? .scalar(numbers) : .array(numbers))
  }
}

extension WantedUse: FrameValue {
  package func write(to frame: inout FrameWriter) {
    frame.write(mode, inputs, placeholders, outputs, threads)
  }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    mode = try frame.read()
    inputs = try frame.read()
    placeholders = try frame.read()
    outputs = try frame.read()
    threads = try frame.readCount()
  }
}

extension WantedLayer: FrameValue {
  package func write(to frame: inout FrameWriter) { frame.write(name, isScalar, shape) }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    name = try frame.read()
    isScalar = try frame.read()
    shape = try frame.read()
  }
}
