import TensorIOAudio
package import TensorIOBundle
import TensorIOImage

extension Model {
  /// Runs the model on generated values, and returns a diagnostic if that fails.
  ///
  /// A model can open and never run: it has an operator that rejects the declared shape, or variables
  /// that were not initialized when it was exported. The values are zeros, gray images and silence. For
  /// inputs of free lengths, which may have to be other ones, the diagnostic is a warning.
  package func trialDiagnostics() -> [Diagnostic] {
    var diagnostics: [Diagnostic] = []
    // A model of free lengths may need more samples than those of a short trial.
    for length in trialLengths {
      let found = trialDiagnostics(length: length)
      if found.isEmpty { return [] }
      if diagnostics.isEmpty { diagnostics = found }
    }
    return diagnostics
  }

  private func trialDiagnostics(length: Int) -> [Diagnostic] {
    do throws(ModelError) {
      try runner?.tryRun()
      guard let signature, pipeline != nil else { return [] }
      var values = try trialValues(signature, length: length)
      let output = try run(.named(values))
      if supportsBatching { _ = try run(batch: [ModelInput.named(values), .named(values)]) }
      guard !state.isEmpty else { return [] }
      // State of a length that grows is rejected by the next run.
      for link in state { values[link.input] = try output[link.output] }
      _ = try run(.named(values))
      return []
    } catch {
      let isFree = callerInputs.contains { $0.shape.hasVariableLength }
      return [
        Diagnostic(
          isFree ? .warning : .error, .trialFailed, path: "/inputs", expected: "a model that runs",
          found: error.code, message: "a trial run with generated values failed: \(error)",
          suggestion: isFree
            ? "add an example, or declare lengths that the model accepts" : nil)
      ]
    }
  }

  /// The lengths of axes that values determine, which are tried in turn.
  private var trialLengths: [Int] {
    let counts = callerInputs.filter(\.shape.hasVariableLength).map { layer in
      layer.shape.dimensions.dropFirst().count { $0 == nil }
    }
    guard let most = counts.max() else { return [Self.trialLength] }
    return [Self.trialLength] + (most > 1 ? [64] : [128, 2048, 16_000])
  }

  private static let trialLength = 8
  /// The length of the sides of an image that determines those of the input.
  private static let trialSide = 64

  /// Returns generated values for all inputs that a caller provides.
  package func trialInput() throws(ModelError) -> ModelInput {
    guard let signature else { throw ModelError(.run, .unsupported("a trial without a runtime")) }
    return .named(try trialValues(signature, length: Self.trialLength))
  }

  private func trialValues(
    _ signature: ModelSignature, length: Int
  ) throws(ModelError) -> [String: LayerValue] {
    var values: [String: LayerValue] = [:]
    for (layer, tensor) in zip(inputs, signature.inputs)
    where callerInputs.contains(where: { $0.name == layer.name }) {
      values[layer.name] = try Self.trialValue(of: layer, tensor, length: length)
    }
    return values
  }

  private static func trialValue(
    of layer: Layer, _ tensor: TensorInfo, length freeLength: Int
  ) throws(ModelError) -> LayerValue {
    let resolved = layer.itemShape(fitting: tensor.shape) ?? layer.shape.singleItemDimensions
    let shape = zip(layer.shape.dimensions.indices, layer.shape.dimensions).map { axis, length in
      length ?? (axis == 0 && layer.shape.dimensions.count > 1 ? 1 : freeLength)
    }
    let isVariable = layer.shape.hasVariableLength
    let count = (isVariable ? shape : resolved).reduce(1, *)
    switch layer.kind {
    case .image(let image):
      let (width, height) = (
        image.width > 0 ? image.width : trialSide, image.height > 0 ? image.height : trialSide
      )
      let pixels = [UInt8](repeating: 128, count: width * height * image.format.bytesPerPixel)
      do throws(ImageError) {
        return .image(
          try ImageBuffer(
            width: width, height: height, format: image.format, pixels: pixels))
      } catch {
        throw ModelError(.input, .image(error), layer: layer.name)
      }
    case .text: return .strings(["text"])
    case .string: return .bytes([UInt8](repeating: 0, count: count))
    case .audio(let audio):
      // One second is longer than most windows; a shorter sound may be padded, or dropped.
      let window = audio.shape.elementCount == nil ? 0 : audio.sampleCount(filling: audio.shape)
      return .numbers(
        Numbers(.floats([Float](repeating: 0, count: max(audio.sampleRate, window)))))
    case .array, .scalar:
      // A vector fits a tensor of any fixed shape.
      let shape = isVariable ? shape : [count]
      switch tensor.elementType {
      case .string: return .strings(Strings(Array(repeating: "", count: count)))
      case .bool:
        return .numbers(Numbers(.booleans(Array(repeating: false, count: count)), shape: shape))
      default:
        return .numbers(Numbers(.integers(Array(repeating: 0, count: count)), shape: shape))
      }
    }
  }
}
