import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOTasks

/// Collects the outputs of a request's items and joins them to tensors.
struct InferenceOutputs: Sendable {
  /// An output that the response has.
  private struct Target: Sendable {
    let request: RequestedOutput
    /// `nil` for the result of the task.
    let declaration: TensorDeclaration?
  }

  private let targets: [Target]
  private let served: ServedModel
  private let itemCount: Int
  /// The outputs of the items that are done.
  private var items: [[InferenceTensor]] = []

  /// The maximum number of classes in a response.
  private static let maxClassCount = 1_000_000

  /// Checks the requested outputs.
  ///
  /// - Throws: A ``ClientError`` if the model has no such output.
  init(
    _ request: InferenceRequest, _ served: ServedModel, itemCount: Int, hasFiles: Bool
  ) throws(ClientError) {
    (self.served, self.itemCount) = (served, itemCount)
    let signature = served.signature
    guard !request.outputs.isEmpty else {
      var targets = signature.outputs.map {
        Target(request: RequestedOutput($0.name), declaration: $0)
      }
      let hasResult = served.model.bundle.taskName != nil || !signature.labels.isEmpty
      if hasFiles, signature.hasTaskResultName, hasResult {
        targets.append(
          Target(request: RequestedOutput(InferenceSignature.taskResultName), declaration: nil))
      }
      self.targets = targets
      return
    }
    var targets: [Target] = []
    for output in request.outputs {
      guard !targets.contains(where: { $0.request.name == output.name }) else {
        throw ClientError(
          .badRequest, "invalid-output", "output '\(output.name)' already requested")
      }
      let declaration = signature.outputs.first { $0.name == output.name }
      let isTaskResult =
        output.name == InferenceSignature.taskResultName && signature.hasTaskResultName
      guard declaration != nil || isTaskResult else {
        let known = signature.outputs.map { "'\($0.name)'" }.joined(separator: ", ")
        throw ClientError(
          .badRequest, "invalid-output",
          "unexpected inference output '\(output.name)' for model '\(request.model.name)'; "
            + "expected \(known)")
      }
      try Self.checkClassCount(of: output, declaration)
      targets.append(Target(request: output, declaration: declaration))
    }
    self.targets = targets
  }

  /// The number of items that are done.
  var count: Int { items.count }

  /// The memory of the outputs of an item that is done.
  func memoryByteCount(ofItem index: Int) -> Int {
    items[index].reduce(0) { $0 + $1.memoryByteCount }
  }

  /// Checks the parameter `classification`, which must be a number of classes.
  private static func checkClassCount(
    of output: RequestedOutput, _ declaration: TensorDeclaration?
  ) throws(ClientError) {
    guard let parameter = output.parameters["classification"] else { return }
    guard let count = parameter.int, (0...maxClassCount).contains(count) else {
      throw ClientError(
        .badRequest, "invalid-output",
        "output '\(output.name)': classification must be an integer from 0 to \(maxClassCount)")
    }
    if case .numbers? = declaration?.content { return }
    throw ClientError(
      .badRequest, "invalid-output",
      "output '\(output.name)': classification requires an output of numbers")
  }
}

// MARK: Items

extension InferenceOutputs {
  /// Adds the outputs of the next item.
  ///
  /// - Throws: A ``ClientError`` if the model did not return them, or one is no tensor.
  mutating func append(_ output: ModelOutput) throws(ClientError) {
    var tensors: [InferenceTensor] = []
    for target in targets {
      guard let declaration = target.declaration else {
        let json = try ClientError.mappingInferenceErrors { () throws(ModelError) in
          try taskResult(of: output)
        }
        tensors.append(
          InferenceTensor(target.request.name, .bytes, shape: [], .strings([json])))
        continue
      }
      let value = try ClientError.mappingInferenceErrors { () throws(ModelError) in
        try output[declaration.name]
      }
      let tensor = try tensor(declaration, value)
      tensors.append(
        target.request.classCount.map { classes(of: tensor, declaration, $0) } ?? tensor)
    }
    items.append(tensors)
  }

  /// Returns the elements of an output in the shape of one item.
  ///
  /// The values of a list, such as one per detection, are along an axis after that of the items.
  private func tensor(
    _ declaration: TensorDeclaration, _ value: LayerValue
  ) throws(ClientError) -> InferenceTensor {
    let datatype = declaration.datatype
    if case .list(let values) = value {
      var parts: [InferenceTensor] = []
      for value in values { parts.append(try tensor(declaration, value)) }
      var list = try joined(parts, declaration.name, declaration)
      // Other outputs of a model with one item have an axis of length 1 as well.
      if !served.signature.isBatched { list.shape = [1] + list.shape }
      return list
    }
    if case .bytes(let bytes) = value {
      let count = bytes.count / (datatype.byteCount ?? 1)
      return InferenceTensor(
        declaration.name, datatype, shape: itemShape(declaration, actual: [count], count),
        .bytes(bytes))
    }
    return try ClientError.mappingInferenceErrors { () throws(ModelError) in
      let tensor = try Tensor(value)
      let shape = itemShape(declaration, actual: tensor.shape, tensor.count)
      if let strings = tensor.strings {
        return InferenceTensor(declaration.name, .bytes, shape: shape, .strings(strings.bytes))
      }
      return InferenceTensor(
        declaration.name, TensorDatatype(tensor.elementType), shape: shape,
        .tensor(try tensor.reshaped(shape)))
    }
  }

  /// Returns the shape of one item: the declared one if the elements fill it, else that of the run.
  private func itemShape(
    _ declaration: TensorDeclaration, actual: [Int], _ count: Int
  ) -> [Int] {
    let declared =
      served.signature.isBatched
      ? declaration.itemShape : declaration.dimensions(isBatched: false)
    let lengths = declared.compactMap(\.self)
    if lengths.count == declared.count, lengths.checkedProduct == count { return lengths }
    let isFull = served.signature.isBatched && actual.count == declared.count + 1
    return isFull && actual.first == 1 ? Array(actual.dropFirst()) : actual
  }

  /// Returns the result of the bundle's task as JSON.
  private func taskResult(of output: ModelOutput) throws(ModelError) -> [UInt8] {
    let processed = try served.postprocessor.process(output)
    let labels = ResultOptions().labelSelection(for: served.model.bundle.description.task)
    var writer = JSONWriter(.compact)
    writer.object { writer in
      if let result = processed.result {
        writer.key(result.key)
        result.write(to: &writer)
      }
      for layer in processed.output.layers {
        guard case .classification = layer.value else { continue }
        writer.key(layer.name)
        writer.value(layer.value, labels: labels)
      }
    }
    return writer.bytes
  }

  /// Returns the best classes of an item as `value:index:label`.
  private func classes(
    of tensor: InferenceTensor, _ declaration: TensorDeclaration, _ count: Int
  ) -> InferenceTensor {
    guard case .tensor(let elements) = tensor.content, let numbers = elements.numbers else {
      return tensor
    }
    let labels = served.signature.labels[declaration.name] ?? []
    let text = tensor.elementText
    let isFloatingPoint = [.fp16, .fp32, .fp64].contains(tensor.datatype)
    // Numbers that are not a number are last.
    let order = (0..<numbers.count).sorted { left, right in
      let (first, second) = (numbers[left], numbers[right])
      if first.isNaN || second.isNaN {
        return first.isNaN == second.isNaN ? left < right : second.isNaN
      }
      return first > second || first == second && left < right
    }
    let strings = order.prefix(count).map { index in
      let value = isFloatingPoint ? numbers[index].fixedPointText : text(index)
      let label = labels.indices.contains(index) ? ":" + labels[index] : ""
      return Array("\(value):\(index)\(label)".utf8)
    }
    return InferenceTensor(
      tensor.name, .bytes, shape: [strings.count], .strings(strings))
  }
}

// MARK: Joining

extension InferenceOutputs {
  /// Returns the outputs of all items.
  ///
  /// - Throws: A ``ClientError`` if the items have outputs of different shapes.
  func tensors() throws(ClientError) -> [InferenceTensor] {
    guard served.signature.isBatched else { return items.first ?? [] }
    var tensors: [InferenceTensor] = []
    for (index, target) in targets.enumerated() {
      tensors.append(try joined(items.map { $0[index] }, target.request.name, target.declaration))
    }
    return tensors
  }

  /// Returns one tensor with all parts along its first axis.
  private func joined(
    _ parts: [InferenceTensor], _ name: String, _ declaration: TensorDeclaration?
  ) throws(ClientError) -> InferenceTensor {
    guard let first = parts.first else {
      let datatype = declaration?.datatype ?? .bytes
      let shape = [0] + (declaration?.itemShape ?? []).map { $0 ?? 0 }
      return InferenceTensor(
        name, datatype, shape: shape, datatype == .bytes ? .strings([]) : .bytes([]))
    }
    guard parts.allSatisfy({ $0.shape == first.shape }) else {
      throw ClientError(
        .badRequest, "invalid-output",
        "output '\(name)' has values of different shapes, which one tensor cannot hold; "
          + "send one item per request, or request other outputs")
    }
    var joined = first
    joined.shape = [parts.count] + first.shape
    guard parts.count > 1 else { return joined }
    joined.content =
      first.datatype == .bytes
      ? .strings(parts.flatMap { $0.strings ?? [] }) : .bytes(parts.flatMap(\.binary))
    return joined
  }
}
