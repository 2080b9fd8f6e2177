internal import TensorIO
internal import TensorIOCore

extension Inspection {
  /// The inspection as people read it, with a command to try at the end.
  func lines(sample: String?, program: ProgramName) -> [String] {
    card() + section("inputs", inputs) + section("outputs", outputs) + signatureLines
      + problemLines + trial(sample, program)
  }

  /// What the bundle says of itself, and more that is known of it.
  func card(adding more: [(String, String)] = []) -> [String] {
    let description = bundle.description
    let facts = [
      ("id", description.id), ("version", description.version), ("author", description.author),
      ("license", description.license), ("type", description.type ?? ""),
      ("backend", bundle.backend.rawValue), ("model file", description.modelFile),
      ("modes", description.modes.map(\.rawValue).sorted().joined(separator: ", ")),
    ]
    let shown = (facts + more).filter { !$0.1.isEmpty }
    return [description.name, "  \(description.details)", ""] + HelpPage.columns(shown)
  }

  private func section(_ title: String, _ pairs: [Pair]) -> [String] {
    ["", "\(title):"]
      + pairs.flatMap { pair in
        ["  \(pair.declared?.name ?? "(not declared)")"]
          + HelpPage.columns([
            ("  declared", pair.declared.map(Self.text) ?? "nothing"),
            ("  found", pair.actual.map(Self.text) ?? notFound),
          ])
      }
  }

  private var signatureLines: [String] {
    guard let signatures = model?.signatures else { return [] }
    let hasKeys = signatures.contains { ($0.inputs + $0.outputs).contains { $0.key != nil } }
    if hasKeys { return signatures.flatMap(Self.lines) }
    guard signatures.count > 1 else { return [] }
    return ["", "signatures: " + signatures.map(\.name).joined(separator: ", ")]
  }

  /// A signature whose tensors have keys, by which layers may be named as well.
  private static func lines(_ signature: ModelSignature) -> [String] {
    let rows = { (side: String, tensors: [TensorInfo]) in
      tensors.map { ("\(side) \($0.key ?? $0.name)", Self.text($0)) }
    }
    return ["", "signature '\(signature.name)':"]
      + HelpPage.columns(rows("in ", signature.inputs) + rows("out", signature.outputs))
  }

  private var problemLines: [String] {
    problems.isEmpty ? [] : [""] + problems.map { "\($0.severity): \($0)" }
  }

  /// A command that runs the model; none for a model that cannot run.
  private func trial(_ sample: String?, _ program: ProgramName) -> [String] {
    guard model != nil, !problems.hasErrors else { return [] }
    let isRunnable = !bundle.description.examples.isEmpty
    let inputs =
      sample.map { [$0] } ?? (isRunnable ? [] : bundle.description.inputs.map(\.exampleWord))
    let words = [program.word] + (["run", bundle.path] + inputs).map(\.shellWord)
    return ["", "try it:", "  " + words.joined(separator: " ")]
  }

  private var notFound: String {
    bundle.isPlaceholder ? "nothing: a placeholder has no model" : "not opened"
  }

  static func text(_ layer: Layer) -> String {
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
        image.format.rawValue.uppercased(),
        image.layout == .channelsLast ? nil : image.layout.rawValue, "fit \(image.fit.rawValue)",
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
      ?? "scale \(scale.text), bias \(bias.text)"
  }
}

extension ColorTriple {
  /// The numbers as people read them, one where all are alike.
  fileprivate var text: String {
    let numbers = Set([red, green, blue]).count == 1 ? [red] : [red, green, blue]
    return numbers.map { "\($0)" }.joined(separator: " ")
  }
}

extension Layer {
  /// The most numbers that an example writes out.
  private static let longestExample = 16

  /// Something that the layer takes, as a word of the command line.
  var exampleWord: String {
    switch kind {
    case .image: return "picture.png"
    case .string: return "@\(name).bin"
    case .scalar: return "1"
    case .array:
      guard let count = elementCount, count <= Self.longestExample else { return "@\(name).npy" }
      return count == 1 ? "1" : "[\(Array(repeating: "1", count: count).joined(separator: ","))]"
    }
  }
}

extension String {
  /// The text as one word of a shell's command line.
  var shellWord: String {
    let isPlain = allSatisfy { $0.isLetter || $0.isNumber || "/._-@:=+,".contains($0) }
    guard !isPlain || isEmpty else { return self }
    let parts = split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: "'\\''") + "'"
  }
}
