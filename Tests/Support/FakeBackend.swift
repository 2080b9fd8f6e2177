import Synchronization
public import TensorIOBundle
public import TensorIOCore

/// A backend whose model is a closure over the bytes of its tensors.
public struct FakeBackend: Backend {
  public let identifier = BackendIdentifier.tflite
  private let model: Result<FakeModel, ModelError>

  public init(_ model: FakeModel) {
    self.model = .success(model)
  }

  /// Creates a backend that rejects all models.
  public init(failingWith error: ModelError) {
    model = .failure(error)
  }

  public func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel
  {
    try model.get()
  }
}

/// A model that maps the bytes of its inputs to those of its outputs.
///
/// Placeholders follow the inputs; a placeholder that was not filled has no bytes.
public struct FakeModel: RuntimeModel {
  public typealias Function = @Sendable ([[UInt8]]) throws(ModelError) -> [[UInt8]]

  public let signature: ModelSignature
  public var signatures: [ModelSignature] { [signature] }
  public let sessionCount = Counter()
  /// The shapes of the outputs after a run, or `nil` for those of the signature.
  public var outputShapes: [[Int]]?
  private let function: Function

  public init(
    inputs: [TensorInfo], placeholders: [TensorInfo] = [], outputs: [TensorInfo],
    _ function: @escaping Function
  ) {
    signature = ModelSignature(
      name: "fake", inputs: inputs, placeholders: placeholders, outputs: outputs)
    self.function = function
  }

  /// Returns a model whose output is its input.
  public static func identity(_ tensor: TensorInfo) -> FakeModel {
    FakeModel(inputs: [tensor], outputs: [tensor]) { $0 }
  }

  public func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    sessionCount.increment()
    return FakeSession(signature, outputShapes: outputShapes, function)
  }
}

/// A thread-safe counter.
public final class Counter: Sendable {
  private let count = Mutex(0)

  public init() {}

  public var value: Int { count.withLock { $0 } }

  @discardableResult
  public func increment() -> Int {
    count.withLock { count in
      count += 1
      return count
    }
  }
}

final class FakeSession: Session {
  private struct Memory {
    var inputs: [[UInt8]]
    var outputs: [[UInt8]]
    var inputShapes: [[Int]]
    var placeholders: [[UInt8]]
  }

  private let signature: ModelSignature
  private let outputShapes: [[Int]]?
  private let function: FakeModel.Function
  private let memory: Mutex<Memory>
  private let activeCalls = Mutex(0)

  init(
    _ signature: ModelSignature, outputShapes: [[Int]]?, _ function: @escaping FakeModel.Function
  ) {
    self.signature = signature
    self.outputShapes = outputShapes
    self.function = function
    let shapes = signature.inputs.map { $0.shape.dimensions.map { $0 ?? 1 } }
    memory = Mutex(
      Memory(
        inputs: zip(signature.inputs, shapes).map { tensor, shape in
          [UInt8](repeating: 0xEE, count: shape.reduce(tensor.elementType.byteCount ?? 1, *))
        },
        outputs: [], inputShapes: shapes,
        placeholders: signature.placeholders.map { _ in [] }))
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    memory.withLock { memory in
      memory.inputShapes = shapes
      memory.inputs = zip(signature.inputs, shapes).map { tensor, shape in
        [UInt8](repeating: 0xEE, count: shape.reduce(tensor.elementType.byteCount ?? 1, *))
      }
    }
  }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    guard input < signature.inputs.count else {
      return try fill(placeholder: input - signature.inputs.count, body)
    }
    var bytes = memory.withLock { $0.inputs[input] }
    try lend(&bytes, to: body)
    memory.withLock { $0.inputs[input] = bytes }
  }

  private func fill(
    placeholder index: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    let tensor = signature.placeholders[index]
    let size = (tensor.shape.elementCount ?? 0) * (tensor.elementType.byteCount ?? 1)
    var bytes = [UInt8](repeating: 0xEE, count: size)
    try lend(&bytes, to: body)
    memory.withLock { $0.placeholders[index] = bytes }
  }

  private func lend(
    _ bytes: inout [UInt8], to body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    var span = bytes.mutableSpan
    var raw = unsafe span.mutableBytes
    try body(&raw)
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {
    memory.withLock { $0.inputs[input] = strings.flatMap(\.self) }
  }

  func invoke() throws(ModelError) {
    let isExclusive = activeCalls.withLock { count in
      count += 1
      return count == 1
    }
    defer { activeCalls.withLock { $0 -= 1 } }
    guard isExclusive else {
      throw ModelError(.run, .callFailed(function: "invoke", status: 1, message: "concurrent call"))
    }
    let inputs = memory.withLock { $0.inputs + $0.placeholders }
    discardInputs()
    let outputs = try function(inputs)
    memory.withLock { $0.outputs = outputs }
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let (bytes, input) = memory.withLock { ($0.outputs[output], $0.inputShapes.first ?? []) }
    // A dynamic dimension equals that of the first input.
    let shape =
      outputShapes?[output]
      ?? signature.outputs[output].shape.dimensions.enumerated().map { axis, length in
        length ?? (input.indices.contains(axis) ? input[axis] : 1)
      }
    try body(unsafe bytes.span.bytes, shape)
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] {
    [memory.withLock { $0.outputs[output] }]
  }

  var abilities: SessionAbilities {
    var abilities = SessionAbilities()
    abilities.discardInputs = { self.discardInputs() }
    return abilities
  }

  private func discardInputs() {
    memory.withLock { memory in memory.placeholders = memory.placeholders.map { _ in [] } }
  }
}
