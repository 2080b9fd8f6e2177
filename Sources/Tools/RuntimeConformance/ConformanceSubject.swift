import TensorIOBundle
import TensorIOCore

/// A model of the suite, loaded in the runtime.
struct ConformanceSubject {
  let backend: any Backend
  let model: ConformanceModel
  let bundle: ModelBundle
  let loaded: any RuntimeModel

  init(_ backend: any Backend, _ model: ConformanceModel) throws(ModelError) {
    self.backend = backend
    self.model = model
    bundle = try ModelBundle(
      at: model.bundlePath, trust: .unrestricted,
      reader: DescriptionReader(
        backends: DescriptionReader.standardBackends.union([backend.identifier])))
    loaded = try bundle.load(for: .predict, threads: 1, on: backend)
  }

  var signature: ModelSignature { loaded.signature }
  var inputs: [Layer] { bundle.description.inputs }
  var outputs: [Layer] { bundle.description.outputs }
  var isNumeric: Bool {
    (signature.inputs + signature.outputs).allSatisfy { $0.elementType != .string }
  }

  /// Opens the model as an application does.
  func open(threads: Int = 1, sessions: Int = 1) throws(ConformanceStop) -> Model {
    try attempt("opening the bundle") { () throws(ModelError) in
      try Model(
        bundle, on: backend, options: OpeningOptions(threads: threads, sessions: sessions))
    }
  }

  func makeSession() throws(ConformanceStop) -> any Session {
    try attempt("creating a session") { () throws(ModelError) in
      try loaded.makeSession(SessionOptions())
    }
  }

  /// Returns the shapes of a session's inputs for a sample.
  func shapes(of sample: ConformanceModel.Sample) throws(ConformanceStop) -> [[Int]] {
    var shapes: [[Int]] = []
    for (layer, tensor) in zip(inputs, signature.inputs) {
      let value = try input(layer.name, of: sample)
      let shape = layer.itemShape(fitting: tensor.shape)
      shapes.append(shape?.reduce(1, *) == value.count ? shape ?? value.shape : value.shape)
    }
    return shapes
  }

  func input(
    _ name: String, of sample: ConformanceModel.Sample
  ) throws(ConformanceStop) -> Tensor {
    guard let tensor = sample.inputs[name] else {
      throw .failed("the sample has no value of the input '\(name)'")
    }
    return tensor
  }

  /// Writes a sample into a session, with the shapes of its values if the model's are free.
  func fill(
    _ session: any Session, with sample: ConformanceModel.Sample
  ) throws(ConformanceStop) {
    if signature.inputs.contains(where: \.shape.isDynamic) {
      let shapes = try shapes(of: sample)
      try attempt("resizing a session") { () throws(ModelError) in try session.resize(shapes) }
    }
    for (index, layer) in inputs.enumerated() {
      let tensor = try input(layer.name, of: sample)
      try attempt("filling the input '\(layer.name)'") { () throws(ModelError) in
        try session.fill(index, with: tensor)
      }
    }
  }

  func invoke(_ session: any Session) throws(ConformanceStop) {
    try attempt("running a session") { () throws(ModelError) in try session.invoke() }
  }

  /// Sets the state of a session, if it has one, to the initial values.
  func reset(_ session: any Session) throws(ConformanceStop) {
    try attempt("resetting state") { () throws(ModelError) in
      try session.abilities.resetState?()
    }
  }

  /// Reads the outputs of a session, by layer.
  func read(_ session: any Session) throws(ConformanceStop) -> [String: Tensor] {
    var tensors: [String: Tensor] = [:]
    for (index, (layer, tensor)) in zip(outputs, signature.outputs).enumerated() {
      tensors[layer.name] = try attempt("reading the output '\(layer.name)'") {
        () throws(ModelError) in
        try session.tensor(index, tensor.elementType)
      }
    }
    return tensors
  }

  /// Runs a session on a sample and compares its outputs.
  func run(
    _ session: any Session, on sample: ConformanceModel.Sample, expecting: [String: Tensor]? = nil
  ) throws(ConformanceStop) {
    try fill(session, with: sample)
    try invoke(session)
    try compare(read(session), with: expecting ?? sample.outputs)
  }

  /// Runs a model on a sample and compares its outputs.
  func run(
    _ opened: Model, on sample: ConformanceModel.Sample
  ) throws(ConformanceStop) {
    let output = try attempt("running the model") { () throws(ModelError) in
      try opened.run(sample.inputs)
    }
    try compare(tensors(of: output), with: sample.outputs)
  }

  func tensors(of output: ModelOutput) throws(ConformanceStop) -> [String: Tensor] {
    var tensors: [String: Tensor] = [:]
    for name in output.names {
      tensors[name] = try attempt("reading the output '\(name)'") { () throws(ModelError) in
        try output.tensor(name)
      }
    }
    return tensors
  }

  /// Compares outputs with the expected ones; the lengths of axes other than 1 have to be equal.
  func compare(
    _ tensors: [String: Tensor], with expected: [String: Tensor]
  ) throws(ConformanceStop) {
    for (name, expected) in expected.sorted(by: { $0.key < $1.key }) {
      guard let actual = tensors[name] else { throw .failed("no output '\(name)'") }
      try require(
        actual.count == expected.count,
        "output '\(name)': expected \(expected.count) elements, got \(actual.count)")
      if let numbers = actual.numbers, let wanted = expected.numbers {
        try compare(numbers, with: wanted, name)
      } else {
        try require(
          actual.strings == expected.strings, "output '\(name)': the strings differ")
      }
    }
  }

  private func compare(
    _ numbers: Numbers, with expected: Numbers, _ name: String
  ) throws(ConformanceStop) {
    for index in 0..<expected.count {
      let (actual, wanted) = (numbers[index], expected[index])
      let isEqual =
        actual == wanted || (actual.isNaN && wanted.isNaN)
        || abs(actual - wanted) <= model.tolerance * max(1, abs(wanted))
      try require(
        isEqual, "output '\(name)': element \(index) is \(actual), expected \(wanted)")
    }
  }

  /// Calls `body`, whose errors fail the check.
  func attempt<Value>(
    _ action: String, _ body: () throws(ModelError) -> Value
  ) throws(ConformanceStop) -> Value {
    do throws(ModelError) {
      return try body()
    } catch {
      throw .failed("\(action): \(error)")
    }
  }

  /// Fails the check unless `body` throws.
  ///
  /// - Returns: The error.
  @discardableResult
  func requireError<Value>(
    _ action: String, _ body: () throws(ModelError) -> Value
  ) throws(ConformanceStop) -> ModelError {
    do throws(ModelError) {
      _ = try body()
    } catch {
      return error
    }
    throw .failed("\(action) is not an error")
  }
}
