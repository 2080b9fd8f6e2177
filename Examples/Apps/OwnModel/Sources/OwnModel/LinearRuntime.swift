import Foundation
import Synchronization
import TensorIO

/// A runtime for files with the weights of a linear function of several tensors.
struct LinearRuntime: Backend {
  let identifier = BackendIdentifier(rawValue: "linear")
  func load(_ file: ModelFile, for use: ModelBinding) throws(ModelError) -> any RuntimeModel {
    do {
      let contents = try Data(contentsOf: URL(filePath: file.path))
      return try JSONDecoder().decode(LinearFunction.self, from: contents)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: "\(error)"), file: file.path)
    }
  }
}

/// A loaded file, which all sessions share.
struct LinearFunction: RuntimeModel, Decodable {
  let inputs: [String]
  let weights: [[Float]]
  let output: String

  var signature: ModelSignature {
    ModelSignature(
      name: "main", inputs: zip(inputs, weights).map { Self.tensor($0, count: $1.count) },
      outputs: [Self.tensor(output, count: 1)])
  }
  var signatures: [ModelSignature] { [signature] }

  private static func tensor(_ name: String, count: Int) -> TensorInfo {
    TensorInfo(name: name, elementType: .float32, shape: TensorShape([count]))
  }

  func makeSession(_ options: SessionOptions) throws(ModelError) -> any Session {
    LinearSession(weights: weights)
  }
}

/// The tensors of one run at a time.
final class LinearSession: Session {
  let abilities = SessionAbilities()
  private let weights: [[Float]]
  private let tensors: Mutex<(inputs: [[Float]], output: [Float])>

  init(weights: [[Float]]) {
    self.weights = weights
    tensors = Mutex((weights.map { Array(repeating: 0, count: $0.count) }, [0]))
  }

  func fill(
    _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    try tensors.withLock { (tensors) throws(ModelError) in
      var elements = tensors.inputs[input].mutableSpan
      var memory = elements.mutableBytes
      try body(&memory)
    }
  }

  func invoke() throws(ModelError) {
    tensors.withLock { tensors in
      let products = zip(weights, tensors.inputs).flatMap { zip($0, $1).map { $0 * $1 } }
      tensors.output = [products.reduce(0, +)]
    }
  }

  func read(
    _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
  ) throws(ModelError) {
    let output = tensors.withLock(\.output)
    try body(output.span.bytes, [1])
  }

  func resize(_ shapes: [[Int]]) throws(ModelError) {
    throw ModelError(.run, .unsupported("another shape"))
  }
  func fill(_ input: Int, strings: [[UInt8]]) throws(ModelError) {}
  func readStrings(_ output: Int) throws(ModelError) -> [[UInt8]] { [] }
}
