import TensorIO

/// A runtime that computes nothing and keeps what it is given: all that is measured is the way into
/// the tensor.
struct TensorKeeper: Backend {
  let identifier = BackendIdentifier.tflite
  /// The shape of the one input, of floats.
  let shape: [Int]
  private let session: KeptTensor

  init(shape: [Int]) {
    self.shape = shape
    session = KeptTensor(count: shape.reduce(1, *))
  }

  /// What was written last.
  var elements: [Float] { session.elements }

  func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel {
    KeepingModel(shape: shape, session: session)
  }
}

private struct KeepingModel: RuntimeModel {
  let signature: ModelSignature
  let session: KeptTensor
  var signatures: [ModelSignature] { [signature] }

  init(shape: [Int], session: KeptTensor) {
    self.session = session
    signature = ModelSignature(
      name: "main",
      inputs: [TensorInfo(name: "picture", elementType: .float32, shape: TensorShape(shape))],
      outputs: [TensorInfo(name: "nothing", elementType: .float32, shape: [1, 1])])
  }

  func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session { session }
}

/// Used by one caller at a time, as the jobs are.
@safe private final class KeptTensor: Session, @unchecked Sendable {
  private let memory: UnsafeMutableBufferPointer<Float>

  init(count: Int) {
    unsafe memory = .allocate(capacity: count)
    unsafe memory.initialize(repeating: 0)
  }

  deinit {
    unsafe memory.deallocate()
  }

  var elements: [Float] { unsafe Array(memory) }

  func resize(_ shapes: [[Int]]) throws(ModelError) {}

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    let bytes = unsafe UnsafeMutableRawBufferPointer(memory)
    var span = unsafe bytes.mutableBytes
    try body(&span)
  }

  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {}

  func invoke() throws(ModelError) {}

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    try body(unsafe [Float](repeating: 0, count: 1).span.bytes, [1, 1])
  }

  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] { [] }
}
