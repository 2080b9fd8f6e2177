import TensorIOBundle

/// A copy of a model in which the shapes that its graphs compute are constants.
///
/// LiteRT reports the shapes of outputs before a run, and does not know those that follow from values
/// that are computed in the run: it reports the declared ones, and then writes outputs of another
/// size. A default Keras network reshapes to a shape with the number of items of its input, so
/// this concerns most of them. In the copy, a reshape to `[number of items, 128]` is one to the
/// constant `[-1, 128]`.
struct FoldedShapes {
  /// The bytes that precede those of the original in the copy; `nil` if the original does not compute
  /// any shape.
  let newBytes: [UInt8]?
  /// The first operator of each subgraph whose shape is still known in the run only.
  let unresolved: [String?]

  /// An input of an operator that becomes a constant.
  private struct Constant {
    let subgraph: Int
    let entry: Int
    let input: Int
    let value: [Int]
    let shape: [Int]
  }

  /// Computes the shapes as far as they do not depend on data.
  ///
  /// - Parameters:
  ///   - model: A validated model.
  ///   - inputs: The shapes of the inputs of one subgraph; `nil` takes the declared ones, with
  ///     unknown free dimensions.
  /// - Throws: `ModelError` if the file cannot be read.
  init(
    _ model: ParsedModel, inputs: (subgraph: Int, shapes: [[Int]])? = nil
  ) throws(ModelError) {
    do throws(ModelValidationError) {
      var constants: [Constant] = []
      var unresolved: [String?] = []
      for (index, graph) in model.subgraphs.enumerated() {
        var rest: String?
        if graph.operators.contains(where: { model.computesShape($0, in: graph) }) {
          let given = inputs.flatMap { $0.subgraph == index ? $0.shapes : nil }
          let shapes = try InferredShapes(graph, of: model, inputs: given)
          for (position, entry) in graph.operators.enumerated() {
            if let found = Self.constants(for: position, ofSubgraph: index, shapes) {
              constants += found
            } else {
              rest = rest ?? model.operatorCodes[entry.operatorCodeIndex].name
            }
          }
        }
        unresolved.append(rest)
      }
      self.unresolved = try unresolved.includingCalls(in: model)
      newBytes = constants.isEmpty ? nil : try Self.newBytes(of: model, with: constants)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.message))
    }
  }

  /// Returns the tensors of a subgraph that operators write whose shape is known in the run only.
  static func outputsWithUnknownShapes(
    of graph: ParsedSubgraph, in model: ParsedModel, calls hasUnknownShapes: (Int) -> Bool
  ) throws(ModelValidationError) -> Set<Int> {
    var outputs: Set<Int> = []
    for entry in graph.operators {
      let called = try entry.calledSubgraphs(model.operatorCodes[entry.operatorCodeIndex])
      if model.computesShape(entry, in: graph) || called.contains(where: hasUnknownShapes) {
        outputs.formUnion(entry.outputs)
      }
    }
    return outputs
  }

  /// Returns the computed inputs of an operator that determine its shape, with their values; `nil`
  /// if a value is not known or the shape depends on data.
  private static func constants(
    for position: Int, ofSubgraph subgraph: Int, _ shapes: InferredShapes
  ) -> [Constant]? {
    let entry = shapes.graph.operators[position]
    let traits = shapes.model.operatorCodes[entry.operatorCodeIndex]
    guard !traits.hasDataDependentShape else { return nil }
    var constants: [Constant] = []
    for input in shapes.model.computedShapeInputs(of: entry, in: shapes.graph) {
      let tensor = entry.inputs[input]
      guard var value = shapes.values[tensor], entry.builtinOptions2 == nil,
        case .int32 = shapes.graph.tensors[tensor].valueKind
      else { return nil }
      if traits.name == "RESHAPE", value.count(where: { $0 == nil || $0 == -1 }) == 1 {
        value = value.map { $0 ?? -1 }
      } else if traits.name == "TRANSPOSE_CONV" {
        value = (try? ShapeRule(entry, in: shapes).outputShapes()?.first ?? nil) ?? value
      }
      let known = value.compactMap { $0.flatMap { Int32(exactly: $0) } }.map { Int($0) }
      guard known.count == value.count else { return nil }
      let isScalar = shapes.shapes[tensor]?.isEmpty == true
      constants.append(
        Constant(
          subgraph: subgraph, entry: position, input: input, value: known,
          shape: isScalar ? [] : [known.count]))
    }
    return constants
  }
}

extension ParsedModel {
  /// Returns the inputs of an operator that determine its shape and are no constants.
  fileprivate func computedShapeInputs(
    of entry: ParsedOperator, in graph: ParsedSubgraph
  ) -> [Int] {
    operatorCodes[entry.operatorCodeIndex].shapeInputs.filter { input in
      entry.inputs.indices.contains(input) && entry.inputs[input] >= 0
        && constantByteCount(of: graph.tensors[entry.inputs[input]]) == 0
        && !graph.tensors[entry.inputs[input]].shape.contains(0)
    }
  }

  /// Whether the shape of an operator's output is known in the run only.
  fileprivate func computesShape(_ entry: ParsedOperator, in graph: ParsedSubgraph) -> Bool {
    operatorCodes[entry.operatorCodeIndex].hasDataDependentShape
      || !computedShapeInputs(of: entry, in: graph).isEmpty
  }
}

extension [String?] {
  /// Returns the operators of each subgraph, or of one that it calls.
  fileprivate func includingCalls(
    in model: ParsedModel
  ) throws(ModelValidationError) -> [String?] {
    var result = self
    // Calls are not recursive, and their depth is limited.
    for _ in 0..<ParsedModel.maxCallDepth {
      var next = result
      for (index, graph) in model.subgraphs.enumerated() where result[index] == nil {
        for entry in graph.operators where next[index] == nil {
          let called = try entry.calledSubgraphs(model.operatorCodes[entry.operatorCodeIndex])
          next[index] = called.lazy.compactMap { result[$0] }.first
        }
      }
      guard next != result else { break }
      result = next
    }
    return result
  }
}

// MARK: - Writing

extension FoldedShapes {
  private static func newBytes(
    of model: ParsedModel, with constants: [Constant]
  ) throws(ModelValidationError) -> [UInt8] {
    var writer = try ModelRootWriter(model.bytes)
    let (graphs, buffers) = (writer.references(.subgraphs), writer.references(.buffers))
    let root = writer.addRoot(replacing: [.subgraphs, .buffers])
    let graphElements = writer.addElements(root, .subgraphs, graphs.count)
    let bufferElements = writer.addVector(
      root, .buffers, existing: buffers, added: constants.count)
    for (element, constant) in zip(bufferElements, constants) {
      writer.addBuffer(constant.value.flatMap { Int32($0).littleEndianBytes }, element)
    }
    for (index, element) in graphElements.enumerated() {
      let own = constants.indices.filter { constants[$0].subgraph == index }
      guard !own.isEmpty else {
        writer.prefix.link(element, to: .existing(graphs[index]))
        continue
      }
      let graph = model.subgraphs[index]
      var inputs: [Int: [Int]] = [:]
      var tensors: [ModelRootWriter.Tensor] = []
      for (offset, constant) in own.enumerated() {
        let entry = constants[constant].entry
        inputs[entry, default: graph.operators[entry].inputs][constants[constant].input] =
          graph.tensors.count + offset
        tensors.append(
          ModelRootWriter.Tensor(
            name: "shape_\(constant)", shape: constants[constant].shape,
            typeCode: ModelRootWriter.int32TypeCode, buffer: buffers.count + constant))
      }
      try writer.addSubgraph(graph, inputs: inputs, addedTensors: tensors, element)
    }
    return writer.newBytes(root: root)
  }
}

extension Int32 {
  fileprivate var littleEndianBytes: [UInt8] {
    (0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
  }
}
