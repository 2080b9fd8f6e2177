internal import TensorIO
internal import TensorIOCore

extension Inspection {
  /// The inspection as people read it, with a command to try at the end.
  func lines(sample: String?) -> [String] {
    card + section("inputs", inputs) + section("outputs", outputs) + signatureLines
      + problems.map { "\($0.severity): \($0)" } + ["", "try it:", "  \(command(sample))"]
  }

  private var card: [String] {
    let description = bundle.description
    let facts = [
      ("id", description.id), ("version", description.version), ("author", description.author),
      ("license", description.license), ("type", description.type ?? ""),
      ("backend", bundle.backend.rawValue), ("model file", description.modelFile),
      ("modes", description.modes.map(\.rawValue).sorted().joined(separator: ", ")),
    ]
    let shown = facts.filter { !$0.1.isEmpty }
    return [description.name, "  \(description.details)", ""] + HelpPage.columns(shown)
  }

  private func section(_ title: String, _ pairs: [Pair]) -> [String] {
    ["", "\(title):"]
      + pairs.flatMap { pair in
        ["  \(pair.declared?.name ?? "(not declared)")"]
          + HelpPage.columns([
            ("  declared", pair.declared.map(Self.text) ?? "nothing"),
            ("  found", pair.actual.map(Self.text) ?? "not opened"),
          ])
      }
  }

  private var signatureLines: [String] {
    guard let signatures = model?.signatures, signatures.count > 1 else { return [""] }
    return ["", "signatures: " + signatures.map(\.name).joined(separator: ", "), ""]
  }

  private func command(_ sample: String?) -> String {
    let inputs = bundle.isPlaceholder ? [] : bundle.description.inputs.map(\.exampleWord)
    let words = ["tensorio", "run", bundle.path] + (sample.map { [$0] } ?? inputs)
    return words.map(\.shellWord).joined(separator: " ")
  }

  private static func text(_ layer: Layer) -> String {
    let parts = [
      layer.typeName, layer.shape.description, layer.elementType?.rawValue, transform(of: layer),
    ]
    return parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func transform(of layer: Layer) -> String? {
    switch layer.kind {
    case .array(let numeric), .scalar(let numeric):
      return [
        numeric.quantize.map { "quantize \($0.text)" },
        numeric.dequantize.map { "dequantize \($0.text)" },
        numeric.labels.map { "labels \($0)" },
      ].compactMap(\.self).joined(separator: ", ")
    case .image(let image):
      return [
        image.format.rawValue.uppercased(), "fit \(image.fit.rawValue)",
        "filter \(image.filter.rawValue)", image.normalize.map { "normalize \($0.text)" },
        image.denormalize.map { "denormalize \($0.text)" },
      ].compactMap(\.self).joined(separator: ", ")
    case .string: return nil
    }
  }

  private static func text(_ tensor: TensorInfo) -> String {
    let code = tensor.quantization.map { ", scale \($0.scale), zero point \($0.zeroPoint)" } ?? ""
    return "\(tensor.elementType) \(tensor.shape) '\(tensor.name)'" + code
  }
}

extension Layer {
  /// As many numbers as a command line shows; more are better in a file.
  private static let shownNumbers = 16

  /// Something that the command line takes for this layer.
  fileprivate var exampleWord: String {
    switch kind {
    case .image: return "picture.jpg"
    case .scalar: return "0"
    case .string: return "@\(name).bin"
    case .array:
      guard let count = elementCount, count <= Self.shownNumbers else { return "@\(name).npy" }
      return count == 1 ? "0" : "[\(repeatElement("0", count: count).joined(separator: ","))]"
    }
  }
}

extension Quantization {
  /// The code as people read it.
  fileprivate var text: String {
    switch self {
    case .standard(let range): range.rawValue
    case .affine(let scale, let bias): "scale \(scale), bias \(bias)"
    case .model: "as the model stores it"
    }
  }
}

extension Normalization {
  /// The code as people read it.
  fileprivate var text: String {
    standard?.rawValue
      ?? "scale \(scale.red), bias \(bias.red), \(bias.green), \(bias.blue)"
  }
}

extension String {
  /// The text as one word of a shell's command line.
  var shellWord: String {
    let isPlain = allSatisfy { $0.isLetter || $0.isNumber || "/._-@:=+,".contains($0) }
    guard !isPlain || isEmpty else { return self }
    return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
