public import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// The quantizers of model formats, which are Python packages, in a process of their own.
final class QuantizerProcess {
  /// The names of the layers, from the input to the output.
  let layers: [String]
  /// Whether the weights of float layers can have 8 bits.
  let canCompactFloatLayers: Bool

  private let child: ChildProcess

  /// The module that answers requests.
  private static let module = "tensorio._quantizers"

  /// Starts the process, and opens a model.
  ///
  /// - Parameters:
  ///   - program: The Python interpreter with the packages.
  ///   - path: The model.
  ///   - calibration: The data for ranges; `nil` for none.
  /// - Throws: A `ModelError` if there is no interpreter with the packages, or they reject the model.
  init(
    _ program: String, opening path: String, _ calibration: CalibrationFolder?
  ) throws(ModelError) {
    guard
      let child = ChildProcess(program, ["-m", Self.module], connecting: .inputAndOutput)
    else { throw Self.missing("cannot run '\(program)'") }
    self.child = child
    let answer = try Self.answer(of: child) { writer in
      writer.member("open", path)
      guard let calibration else { return }
      writer.member("calibration", calibration.path)
      writer.member("inputs", array: calibration.inputs) { $0.value($1) }
    }
    layers = answer["layers"]?.children.compactMap(\.string) ?? []
    canCompactFloatLayers = answer["compact"]?.bool ?? false
  }

  /// Writes a quantized copy of the model.
  ///
  /// - Parameters:
  ///   - recipe: The recipe.
  ///   - layers: The layers that stay float.
  ///   - isCompact: Whether the weights of these layers have 8 bits.
  ///   - path: The path of the copy.
  /// - Throws: A `ModelError` if the quantizer fails.
  func write(
    _ recipe: QuantizationRecipe, keepingFloat layers: [String], isCompact: Bool, to path: String
  ) throws(ModelError) {
    _ = try Self.answer(of: child) { writer in
      writer.member("recipe", recipe.rawValue)
      writer.member("float", array: layers) { $0.value($1) }
      writer.member("weights", isCompact)
      writer.member("output", path)
    }
  }

  /// Sends a request, and returns the answer.
  private static func answer(
    of child: ChildProcess, _ request: (inout JSONWriter) -> Void
  ) throws(ModelError) -> JSONNode {
    var writer = JSONWriter()
    writer.object(request)
    guard child.write(writer.bytes + [ASCII.lineFeed]), let line = child.readLine(),
      let answer = try? JSONDocument(parsing: line).root
    else {
      child.terminate()
      let messages = child.standardErrorTail
      guard !messages.contains("No module named") else {
        throw missing("it is not installed")
      }
      let last = messages.split(separator: "\n").last.map(String.init) ?? "no message"
      throw ModelError(.run, .quantizerFailed(last))
    }
    if let package = answer["missing"]?.string { throw missing("it has no '\(package)'") }
    if let error = answer["error"]?.string { throw ModelError(.run, .quantizerFailed(error)) }
    return answer
  }

  private static func missing(_ detail: String) -> ModelError {
    ModelError(.runtime, .quantizerMissing(detail))
  }
}

extension ModelError {
  /// The packages that quantize models are not installed.
  public static let quantizerMissing = Code("quantizer-missing")
  /// A quantizer rejects a model, or fails.
  public static let quantizerFailed = Code("quantizer-failed")
}

extension ModelError.Reason {
  /// Packages that are not installed.
  static func quantizerMissing(_ detail: String) -> Self {
    Self(
      ModelError.quantizerMissing,
      """
      recipes other than 'float16' require the Python package 'tensorio-runtime[quantize]', and \(detail); \
      install it with pip, and set \(Quantization.Options.variable) to the interpreter that has it
      """)
  }

  /// The message of a quantizer.
  static func quantizerFailed(_ detail: String) -> Self {
    Self(ModelError.quantizerFailed, "the quantizer failed: \(detail, as: "detail")")
  }
}
