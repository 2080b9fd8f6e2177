import TensorIOBundle
import TensorIOCore

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The tensors of a signature, which an ``Interpreter`` or a ``SignatureRunner`` reads and writes.
final class SignatureTensors {
  private let signature: ModelSignature
  private let makeSession: () throws(ModelError) -> LiteRTSession
  private var session: LiteRTSession?
  private var pendingShapes: [[Int]]?
  /// Whether the signature has run since its tensors were allocated.
  private(set) var hasRun = false

  init(
    _ signature: ModelSignature, _ makeSession: @escaping () throws(ModelError) -> LiteRTSession
  ) {
    (self.signature, self.makeSession) = (signature, makeSession)
  }

  /// Whether tensors can be read and written.
  var isAllocated: Bool { session != nil && pendingShapes == nil }

  /// Allocates the tensors in their current shapes, unless they are allocated.
  func allocate() throws(ModelError) {
    let session = try allocatedSession()
    if let pendingShapes {
      try session.resize(pendingShapes)
      hasRun = false
    } else {
      try session.allocateIfNeeded()
    }
    pendingShapes = nil
  }

  private func allocatedSession() throws(ModelError) -> LiteRTSession {
    if let session { return session }
    let session = try makeSession()
    self.session = session
    return session
  }

  /// Changes the shape of an input at the next allocation; returns `false` if it does not accept it.
  func resize(_ index: Int, to shape: [Int]) -> Bool {
    guard signature.inputs[index].shape.accepts(shape) else { return false }
    var shapes =
      pendingShapes ?? session?.inputShapes
      ?? signature.inputs.map(\.shape.initialDimensions)
    shapes[index] = shape
    pendingShapes = shapes
    return true
  }

  /// Copies bytes to an input if their count is that of the input, which is returned.
  func copy(_ data: Data, to index: Int) throws(ModelError) -> Int {
    var required = data.count
    try allocatedSession().fill(index) { (memory) throws(ModelError) in
      required = memory.byteCount
      if data.count == required { memory.copyBytes(from: data) }
    }
    return required
  }

  func invoke() throws(ModelError) {
    try allocatedSession().invoke()
    hasRun = true
  }

  /// Returns a copy of an input; `nil` if its type is not supported.
  func input(_ index: Int) throws(ModelError) -> Tensor? {
    let session = try allocatedSession()
    var data = Data()
    try session.fill(index) { (memory) throws(ModelError) in data = Data(copying: memory.bytes) }
    return Tensor(signature.inputs[index], session.inputShapes[index], data)
  }

  /// Returns a copy of an output; `nil` if its type is not supported.
  func output(_ index: Int) throws(ModelError) -> Tensor? {
    var result: (data: Data, shape: [Int]) = (Data(), [])
    try allocatedSession().read(index) { (memory, shape) throws(ModelError) in
      result = (Data(copying: memory), shape)
    }
    return Tensor(signature.outputs[index], result.shape, result.data)
  }
}

/// A model that is compiled once for an interpreter and its signature runners, which share its variables.
final class SharedGraph {
  private let model: LiteRTModel
  private let options: SessionOptions
  private var compiled: CompiledGraph?

  init(_ model: LiteRTModel, _ options: SessionOptions) {
    (self.model, self.options) = (model, options)
  }

  /// Returns a session of a signature; of the model's own one without a name.
  func makeSession(ofSignature name: String?) throws(ModelError) -> LiteRTSession {
    let shared: CompiledGraph
    if let compiled { shared = compiled } else { shared = try model.compile(options) }
    compiled = shared
    return try model.makeSession(of: shared, signature: name, options)
  }
}

extension TensorShape {
  /// The dimensions before any resize: those of any size are 1.
  fileprivate var initialDimensions: [Int] { dimensions.map { $0 ?? 1 } }
}
