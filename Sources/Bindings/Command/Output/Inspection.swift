import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// The report on a bundle: its declared layers beside the model's actual tensors.
struct Inspection {
  let bundle: ModelBundle
  /// The loaded model, if it could be loaded.
  let model: (any RuntimeModel)?
  let diagnostics: [Diagnostic]
  /// The custom operators of the model file; `nil` if it cannot be read or the runtime has none.
  var customOperators: [CustomOperatorUse]?

  init(_ bundle: ModelBundle, model: (any RuntimeModel)?, diagnostics: [Diagnostic]) {
    self.bundle = bundle
    self.model = model
    self.diagnostics = diagnostics
  }

  /// A declared layer and the tensor at the same position; either may be missing.
  struct LayerPair {
    let declared: Layer?
    let actual: TensorInfo?

    static func all(_ layers: [Layer], _ tensors: [TensorInfo]) -> [LayerPair] {
      (0..<max(layers.count, tensors.count)).map { index in
        LayerPair(
          declared: index < layers.count ? layers[index] : nil,
          actual: index < tensors.count ? tensors[index] : nil)
      }
    }
  }

  var inputs: [LayerPair] { LayerPair.all(description.inputs, model?.signature.inputs ?? []) }
  var outputs: [LayerPair] { LayerPair.all(description.outputs, model?.signature.outputs ?? []) }

  private var description: ModelDescription {
    bundle.description.resolved(for: bundle.description.defaultMode)
  }
}

extension Inspection {
  /// The lines of the text report, with an example command at the end.
  func lines(sample: String?, program: ProgramName) -> [String] {
    summaryLines() + section("inputs", inputs) + section("outputs", outputs) + functionLines
      + signatureLines
      + operatorLines + diagnosticLines + exampleCommandLines(sample, program)
  }

  /// The lines with the bundle's metadata and additional facts.
  func summaryLines(adding more: [(String, String)] = []) -> [String] {
    let description = bundle.description
    let facts = [
      ("id", description.id), ("version", description.version), ("author", description.author),
      ("license", description.license), ("type", description.type ?? ""),
      ("backend", bundle.backend.rawValue), ("model file", description.modelFile),
      ("signature", description.modelSignature ?? ""),
      ("modes", description.modes.map(\.rawValue).sorted().joined(separator: ", ")),
    ]
    let shown = (facts + more).filter { !$0.1.isEmpty }
    let details = description.details.isEmpty ? [] : ["  \(description.details)"]
    return [description.name] + details + [""] + HelpPage.table(shown)
  }

  private func section(_ title: String, _ pairs: [LayerPair]) -> [String] {
    ["", "\(title):"]
      + pairs.flatMap { pair in
        ["  \(pair.declared?.name ?? "(not declared)")"]
          + HelpPage.table([
            ("  declared", pair.declared.map(Self.text) ?? "nothing"),
            ("  found", pair.actual.map(Self.text) ?? missingTensorText),
          ])
      }
  }

  private var functionLines: [String] {
    bundle.functions.sorted { $0.key < $1.key }.flatMap { name, function in
      let description = function.description
      let layers =
        description.inputs.map { ("in  \($0.name)", Self.text($0)) }
        + description.outputs.map { ("out \($0.name)", Self.text($0)) }
      let signature = description.modelSignature.map { ", signature '\($0)'" } ?? ""
      return ["", "function '\(name)' in \(description.modelFile)\(signature):"]
        + HelpPage.table(layers)
    }
  }

  private var signatureLines: [String] {
    guard let signatures = model?.signatures else { return [] }
    let hasKeys = signatures.contains {
      ($0.inputs + $0.outputs).contains { $0.signatureKey != nil }
    }
    if hasKeys { return signatures.flatMap(Self.lines) }
    guard signatures.count > 1 else { return [] }
    return ["", "signatures: " + signatures.map(\.name).joined(separator: ", ")]
  }

  /// The lines of a signature whose tensors have keys, which may be used as layer names.
  private static func lines(_ signature: ModelSignature) -> [String] {
    let rows = { (side: String, tensors: [TensorInfo]) in
      tensors.map { ("\(side) \($0.signatureKey ?? $0.name)", Self.text($0)) }
    }
    return ["", "signature '\(signature.name)':"]
      + HelpPage.table(rows("in ", signature.inputs) + rows("out", signature.outputs))
  }

  private var operatorLines: [String] {
    guard let operators = customOperators, !operators.isEmpty else { return [] }
    return ["", "custom operators:"]
      + HelpPage.table(operators.map { ("\($0.name), version \($0.version)", $0.origin.text) })
  }

  private var diagnosticLines: [String] {
    diagnostics.isEmpty ? [] : [""] + diagnostics.map { "\($0.severity): \($0)" }
  }

  /// The lines with an example command; empty for a model that cannot run.
  private func exampleCommandLines(_ sample: String?, _ program: ProgramName) -> [String] {
    guard model != nil, !diagnostics.hasErrors else { return [] }
    let isRunnable = !bundle.description.examples.isEmpty
    let inputs =
      sample.map { [$0] }
      ?? (isRunnable ? [] : bundle.description.callerInputs.map(\.exampleArgument))
    let words = [program.command] + (["run", bundle.path] + inputs).map(\.shellEscaped)
    return ["", "try it:", "  " + words.joined(separator: " ")]
  }

  private var missingTensorText: String {
    bundle.isPlaceholder ? "none: the bundle is a placeholder" : "unknown: model not loaded"
  }

  static func text(_ layer: Layer) -> String {
    let parts = [
      layer.typeName, layer.shape.description, layer.elementType?.rawValue, transform(of: layer),
      layer.details.map { "– \($0)" },
    ]
    return parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: " ")
  }

  private static func transform(of layer: Layer) -> String? {
    switch layer.kind {
    case .array(let numeric), .scalar(let numeric):
      return [
        numeric.quantize.map { "quantize \($0.text)" },
        numeric.dequantize.map { "dequantize \($0.text)" },
        numeric.labelsFile.map { "labels \($0)" },
        numeric.calibration.map { "calibration \($0.file)" },
      ].compactMap(\.self).joined(separator: ", ")
    case .image(let image):
      return [
        image.format.rawValue.uppercased(),
        image.layout == .channelsLast ? nil : image.layout.rawValue, "fit \(image.fit.rawValue)",
        "filter \(image.filter.rawValue)", image.normalize.map { "normalize \($0.text)" },
        image.denormalize.map { "denormalize \($0.text)" },
      ].compactMap(\.self).joined(separator: ", ")
    case .string: return nil
    case .text(let text):
      return text.tokenizer.map { "tokenizer \($0.kind.rawValue), \($0.file)" }
        ?? "\(text.part.rawValue) of \(text.source ?? "")"
    case .audio(let audio):
      return "\(audio.sampleRate) Hz" + (audio.features.map { ", \($0.text)" } ?? "")
    }
  }

  private static func text(_ tensor: TensorInfo) -> String {
    let code = tensor.quantization.map { ", scale \($0.scale), zero point \($0.zeroPoint)" } ?? ""
    return "\(tensor.elementType) \(tensor.shape) '\(tensor.name)'" + code
  }
}

extension AudioFeatures {
  /// The text of the report.
  fileprivate var text: String {
    switch kind {
    case .logMel: "log-mel spectrogram"
    case .micro: "features in integers"
    case .function: "features of the function \(function ?? "")"
    }
  }
}

extension CustomOperatorUse.Origin {
  /// The text of the report.
  fileprivate var text: String {
    switch self {
    case .builtIn: "built in"
    case .runtime: "contained in the runtime"
    case .registered: "registered by the application"
    case .unknown: "unknown: signatures that run it are rejected"
    }
  }
}

extension Quantization {
  /// The text of the report.
  fileprivate var text: String {
    switch self {
    case .standard(let range): range.rawValue
    case .affine(let scale, let bias): "scale \(scale), bias \(bias)"
    case .model: "from the model's tensor"
    }
  }
}

extension Normalization {
  /// The text of the report.
  fileprivate var text: String {
    standardRange?.rawValue
      ?? "scale \(scale.text), bias \(bias.text)"
  }
}

extension ColorTriple {
  /// The components, or one number if all are equal.
  fileprivate var text: String {
    let numbers = Set([red, green, blue]).count == 1 ? [red] : [red, green, blue]
    return numbers.map { "\($0)" }.joined(separator: " ")
  }
}

extension Layer {
  /// The maximum number of elements in an example.
  private static let maxExampleElements = 16

  /// An example of a value for the layer, as a command-line argument.
  var exampleArgument: String {
    switch kind {
    case .image: return "image.png"
    case .string: return "@\(name).bin"
    case .text: return "some text"
    case .audio: return "sound.wav"
    case .scalar: return "1"
    case .array:
      guard let count = elementCount, count <= Self.maxExampleElements else {
        return "@\(name).npy"
      }
      return count == 1 ? "1" : "[\(Array(repeating: "1", count: count).joined(separator: ","))]"
    }
  }
}

extension String {
  /// The text, quoted for a shell if necessary.
  var shellEscaped: String {
    let isPlain = allSatisfy { $0.isLetter || $0.isNumber || "/._-@:=+,".contains($0) }
    guard !isPlain || isEmpty else { return self }
    let parts = split(separator: "'", omittingEmptySubsequences: false)
    return "'" + parts.joined(separator: "'\\''") + "'"
  }
}

extension Inspection {
  /// Writes the report as a JSON object.
  func write(to writer: inout JSONWriter) {
    writer.object { writer in
      writer.member("model", object: writeModel)
      writer.member("inputs", objects: inputs) { Self.write($1, to: &$0) }
      writer.member("outputs", objects: outputs) { Self.write($1, to: &$0) }
      if !bundle.functions.isEmpty { writer.member("functions", object: writeFunctions) }
      writer.member("signatures", objects: model?.signatures ?? []) { writer, signature in
        writer.member("name", signature.name)
        writer.member("inputs", array: signature.inputs) { $0.object(tensor: $1) }
        writer.member("outputs", array: signature.outputs) { $0.object(tensor: $1) }
      }
      if let customOperators {
        writer.member("custom_operators", objects: customOperators) { writer, entry in
          writer.member("name", entry.name)
          writer.member("version", entry.version)
          writer.member("origin", entry.origin.rawValue)
        }
      }
      writer.member("diagnostics", array: diagnostics) { $0.value($1) }
    }
  }

  private func writeFunctions(_ writer: inout JSONWriter) {
    for (name, function) in bundle.functions.sorted(by: { $0.key < $1.key }) {
      writer.member(name) { writer in
        writer.member("file", function.description.modelFile)
        if let signature = function.description.modelSignature {
          writer.member("signature", signature)
        }
        writer.member("inputs", array: function.description.inputs) { $0.object(layer: $1) }
        writer.member("outputs", array: function.description.outputs) { $0.object(layer: $1) }
      }
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
    if let signature = description.modelSignature { writer.member("signature", signature) }
    writer.member("placeholder", description.isPlaceholder)
    writer.member("quantized", description.isQuantized)
    writer.member("modes", array: description.modes.map(\.rawValue).sorted()) { $0.value($1) }
    if let type = description.type { writer.member("type", type) }
  }

  private static func write(_ pair: LayerPair, to writer: inout JSONWriter) {
    writer.memberOrNull("declared", pair.declared) { $0.object(layer: $1) }
    writer.memberOrNull("actual", pair.actual) { $0.object(tensor: $1) }
  }
}

extension JSONWriter {
  mutating func object(layer: Layer) {
    object { $0.layerMembers(of: layer) }
  }

  fileprivate mutating func object(tensor: TensorInfo) {
    object { writer in
      writer.member("name", tensor.name)
      if let key = tensor.signatureKey { writer.member("key", key) }
      writer.member("dtype", tensor.elementType.rawValue)
      writer.key("shape")
      writer.numbers(tensor.shape.signedDimensions)
      writer.memberOrNull("quantization", tensor.quantization) { writer, code in
        writer.object { writer in
          writer.member("scale", code.scale)
          writer.member("zero_point", code.zeroPoint)
        }
      }
    }
  }
}
