import Foundation
public import Synchronization
public import TensorIOBundle
public import TensorIOCore
import TensorIOTasks
public import TensorIOTraining

/// A backend that trains one model, y = w · x + b, by gradient descent in Swift.
///
/// The model is a folder with the file `weights`, which contains w and b as text. Its inputs are
/// `x` and, for training and evaluation, `y`. Its outputs are `prediction` and the mean squared
/// error `loss`. The default of the placeholder `rate` is 0.1.
public final class LinearBackend: Backend {
  public let identifier = BackendIdentifier.tensorflow
  /// Whether all modes share one graph in memory.
  public let sharesGraphs: Bool
  /// The inputs of all steps, in order.
  public let stepInputs = Mutex<[[Float]]>([])
  /// Returns whether writing a path fails; `nil` if no write fails.
  public let failsWrite = Mutex<(@Sendable (String) -> Bool)?>(nil)
  /// The abilities of all sessions in place of their own, if there are any.
  public let sessionAbilities = Mutex<SessionAbilities?>(nil)
  /// Called during each step.
  public let duringStep = Mutex<(@Sendable () -> Void)?>(nil)

  /// The folders of open bundles, which exist as long as the backend.
  fileprivate let openBundleFolders = Mutex<[TemporaryFolder]>([])

  /// The weights of all models, or `nil` to read them from the models' files.
  private let weights: LinearParameters?

  public init(sharesGraphs: Bool = true, weights: LinearParameters? = nil) {
    self.sharesGraphs = sharesGraphs
    self.weights = weights
  }

  public func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel
  {
    let numbers = if let weights { weights } else { try LinearWeights.read(file.path + "/weights") }
    return LinearModel(use, LinearWeights(numbers), self)
  }

  fileprivate func write(_ text: String, to path: String) throws(ModelError) {
    let fails = failsWrite.withLock { $0 }?(path) ?? false
    let isWritten = (try? Data(text.utf8).write(to: URL(filePath: path))) != nil
    guard isWritten, !fails else {
      throw ModelError(.run, .unwritable(path, detail: "No space left on device"))
    }
  }
}

/// The weights of the model.
public struct LinearParameters: Sendable, Equatable {
  public var w: Float = 0
  public var b: Float = 0

  public init(w: Float = 0, b: Float = 0) {
    self.w = w
    self.b = b
  }
}

private final class LinearWeights: Sendable {
  let parameters: Mutex<LinearParameters>

  init(_ numbers: LinearParameters) { self.parameters = Mutex(numbers) }

  static func read(_ path: String) throws(ModelError) -> LinearParameters {
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let values = text.split(separator: " ").compactMap { Float($0) }
    guard values.count == 2 else {
      throw ModelError(.runtime, .modelRejected(detail: "no weights in \(path)"))
    }
    return LinearParameters(w: values[0], b: values[1])
  }

  var text: String { parameters.withLock { "\($0.w) \($0.b)" } }
}

private struct LinearModel: TrainableRuntimeModel {
  let signature: ModelSignature
  let use: ModelBinding
  let weights: LinearWeights
  let backend: LinearBackend

  init(_ use: ModelBinding, _ weights: LinearWeights, _ backend: LinearBackend) {
    self.use = use
    self.weights = weights
    self.backend = backend
    signature = ModelSignature(
      name: use.mode.rawValue, inputs: use.inputs.map(Self.tensor),
      placeholders: use.placeholders.map(Self.tensor), outputs: use.outputs.map(Self.tensor))
  }

  private static func tensor(_ layer: Layer) -> TensorInfo {
    let isScalar = ["loss", "rate"].contains(layer.name)
    return TensorInfo(
      name: layer.name, elementType: layer.elementType ?? .float32,
      shape: isScalar ? [] : layer.shape)
  }

  var signatures: [ModelSignature] { [signature] }

  func sharingWeights(for use: ModelBinding) throws(ModelError) -> (any RuntimeModel)? {
    backend.sharesGraphs ? LinearModel(use, weights, backend) : nil
  }

  func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    LinearSession(self)
  }

  func variables() throws(ModelError) -> [ModelVariable] {
    ["w", "b"].map {
      ModelVariable(name: $0, elementType: .float32, shape: [], isTrainable: $0 == "w")
    }
  }

  func values(ofVariables names: [String]) throws(ModelError) -> [Tensor] {
    let numbers = weights.parameters.withLock { $0 }
    return names.map { Tensor([$0 == "w" ? numbers.w : numbers.b], shape: []) }
  }

  func assign(_ values: [String: Tensor]) throws(ModelError) {
    let w = try values["w"]?.array(of: Float.self).first
    let b = try values["b"]?.array(of: Float.self).first
    weights.parameters.withLock { numbers in
      numbers.w = w ?? numbers.w
      numbers.b = b ?? numbers.b
    }
  }

  func saveWeights(to prefix: String) throws(ModelError) {
    try backend.write(weights.text, to: prefix + ".data-00000-of-00001")
    try backend.write("w b", to: prefix + ".index")
  }

  func restoreWeights(from prefix: String) throws(ModelError) {
    let numbers = try LinearWeights.read(prefix + ".data-00000-of-00001")
    weights.parameters.withLock { $0 = numbers }
  }

  func save(to path: String) throws(ModelError) {
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    try backend.write(weights.text, to: path + "/weights")
  }
}

private final class LinearSession: Session {
  private let model: LinearModel
  private let memory = Mutex<[[UInt8]]>([])
  private let results = Mutex<[(bytes: [UInt8], shape: [Int])]>([])
  private let shapes = Mutex<[[Int]]>([])

  init(_ model: LinearModel) {
    self.model = model
    let count = model.use.inputs.count + model.use.placeholders.count
    memory.withLock { $0 = Array(repeating: [], count: count) }
    shapes.withLock { $0 = model.signature.inputs.map { $0.shape.dimensions.map { $0 ?? 1 } } }
  }

  var abilities: SessionAbilities {
    if let given = model.backend.sessionAbilities.withLock({ $0 }) { return given }
    var abilities = SessionAbilities()
    abilities.discardInputs = { self.discardInputs() }
    if model.use.mode == .train {
      abilities.train = { (moment) throws(ModelError) in try self.train(moment) }
    }
    return abilities
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) { self.shapes.withLock { $0 = shapes } }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    let shape = shapes.withLock { input < $0.count ? $0[input] : [] }
    var bytes = [UInt8](repeating: 0xEE, count: shape.reduce(4, *))
    try lend(&bytes, to: body)
    memory.withLock { $0[input] = bytes }
  }

  private func lend(
    _ bytes: inout [UInt8], to body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    try body(&raw)
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    throw ModelError(.input, .unsupported("text"))
  }

  private func values(_ name: String) -> [Float] {
    let names = (model.use.inputs + model.use.placeholders).map(\.name)
    guard let index = names.firstIndex(of: name) else { return [] }
    return memory.withLock { $0[index] }.values(of: Float.self)
  }

  func invoke() throws(ModelError) {
    let (x, y) = (values("x"), values("y"))
    let numbers = model.weights.parameters.withLock { $0 }
    let predictions = x.map { numbers.w * $0 + numbers.b }
    let errors = zip(predictions, y).map { $0 - $1 }
    let loss = errors.map { $0 * $0 }.reduce(0, +) / Float(max(1, errors.count))
    results.withLock { results in
      results = model.use.outputs.map { layer in
        layer.name == "loss"
          ? ([loss].rawBytes, []) : (predictions.rawBytes, [predictions.count, 1])
      }
    }
  }

  private func train(_ timing: StepOutputTiming) throws(ModelError) {
    if timing == .duringStep { try invoke() }
    let (x, y) = (values("x"), values("y"))
    model.backend.stepInputs.withLock { $0.append(x) }
    model.backend.duringStep.withLock { $0 }?()
    let rate = (values("rate").first ?? 0.1) / Float(x.count)
    model.weights.parameters.withLock { numbers in
      let errors = zip(x, y).map { numbers.w * $0 + numbers.b - $1 }
      numbers.w -= rate * zip(errors, x).map { 2 * $0 * $1 }.reduce(0, +)
      numbers.b -= rate * errors.map { 2 * $0 }.reduce(0, +)
    }
    if timing == .afterStep { try invoke() }
    discardInputs()
  }

  private func discardInputs() {
    memory.withLock { memory in
      for index in model.use.inputs.count..<memory.count { memory[index] = [] }
    }
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let (bytes, shape) = results.withLock { $0[output] }
    try body(unsafe bytes.span.bytes, shape)
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] { [] }
}

/// A temporary bundle for ``LinearBackend``.
public struct LinearBundle: Sendable {
  public let path: String
  public let folder: TemporaryFolder

  /// Creates a bundle for all modes, with one model folder or one for each mode.
  public init(
    modes: String = #"["predict", "train", "eval"]"#, hasSeparateFiles: Bool = false,
    examples: String = ""
  ) throws {
    folder = try TemporaryFolder()
    path = folder.path + "/line.tiobundle"
    let number = #""type": "array", "shape": [-1,1]"#
    let pair = #"[{"name": "x", \#(number)}, {"name": "y", \#(number)}]"#
    let loss = #"{"name": "loss", "type": "scalar", "shape": [1]}"#
    let file = { (name: String) in hasSeparateFiles ? #", "file": "\#(name)""# : "" }
    try folder.write(
      """
      {
        "name": "Line", "details": "", "id": "line", "version": "1", "author": "", "license": "",
        "model": {"file": "predict", "quantized": false, "backend": "tensorflow", "modes": \(modes)},
        "inputs": [{"name": "x", \(number)}],
        "outputs": [{"name": "prediction", \(number)}],
        "examples": [\(examples)],
        "train": {
          "ops": ["train"], "inputs": \(pair), "outputs": [\(loss)],
          "placeholders": [{"name": "rate", "type": "scalar", "shape": [1], "value": 0.05}]
          \(file("train"))
        },
        "eval": {
          "inputs": \(pair), "outputs": [{"name": "prediction", \(number)}, \(loss)]
          \(file("eval"))
        }
      }
      """, to: "line.tiobundle/model.json")
    try folder.write("a note", to: "line.tiobundle/assets/notes/note.txt")
    for name in hasSeparateFiles ? ["predict", "train", "eval"] : ["predict"] {
      try folder.write("0 0", to: "line.tiobundle/\(name)/weights")
    }
  }

  /// Opens the bundle for training.
  public func open(on backend: LinearBackend = LinearBackend()) throws -> TrainableModel {
    backend.openBundleFolders.withLock { $0.append(folder) }
    return try TrainableModel(try ModelBundle(at: path), on: backend)
  }

  /// Returns points of y = 2 x + 1.
  public static func points(_ count: Int) throws -> Batch {
    try Batch(
      (0..<count).map { index in
        let x = Float(index) / Float(max(1, count))
        return ["x": x, "y": 2 * x + 1]
      })
  }
}
