import TensorIOBundle
import TensorIOCore

/// A node of a model that runs a custom operator in Swift.
struct CustomNode {
  /// The name in the file that LiteRT reads, which no other node has.
  let registeredName: String
  let type: any CustomOperator.Type
  let node: CustomOperatorNode

  /// Returns an error with the operator's name.
  func error(_ error: ModelError, at stage: ModelError.Stage) -> ModelError {
    let detail =
      switch error {
      case ModelError.failed: error.reason.message
      case ModelError.modelRejected: error.text("detail") ?? error.message
      default: ModelError(stage, error.reason).description
      }
    let message = "the custom operator '\(node.name)' failed: \(detail)"
    return ModelError(
      stage, stage == .runtime ? .modelRejected(detail: message) : .failed(.init(message)))
  }
}

extension ParsedModel {
  /// Returns the nodes that run one of the given operators.
  ///
  /// - Parameters:
  ///   - operators: The operators by name.
  ///   - originalNames: The names of operator codes that were renamed, by their index.
  /// - Returns: The nodes in the order of the file.
  /// - Throws: `ModelError` if a node omits an input or has a tensor of an unsupported type.
  func customNodes(
    of operators: [String: any CustomOperator.Type], originalNames: [Int: String] = [:]
  ) throws(ModelError) -> [CustomNode] {
    var nodes: [CustomNode] = []
    for graph in subgraphs {
      for entry in graph.operators {
        let registeredName = operatorCodes[entry.operatorCodeIndex].customName
        let name = originalNames[entry.operatorCodeIndex] ?? registeredName
        guard let type = operators[name] else { continue }
        let node = CustomOperatorNode(
          name: name, options: options(of: entry),
          inputs: try graph.tensors(entry.inputs, of: name),
          outputs: try graph.tensors(entry.outputs, of: name))
        nodes.append(CustomNode(registeredName: registeredName, type: type, node: node))
      }
    }
    return nodes
  }

  private func options(of entry: ParsedOperator) -> [UInt8] {
    if let large = entry.largeCustomOptionsRange, let start = Int(exactly: large.lowerBound),
      let end = Int(exactly: large.upperBound)
    {
      return bytes.copy(of: start..<end)
    }
    return entry.customOptionsRange.map { bytes.copy(of: $0) } ?? []
  }
}

extension ParsedSubgraph {
  /// Returns the descriptions of an operator's inputs or outputs.
  fileprivate func tensors(
    _ indices: [Int], of name: String
  ) throws(ModelError) -> [TensorInfo] {
    var result: [TensorInfo] = []
    for index in indices {
      guard tensors.indices.contains(index) else {
        let detail = "the custom operator '\(name)' omits an input, which is not supported"
        throw ModelError(.runtime, .modelRejected(detail: detail))
      }
      guard let info = tensors[index].info else {
        let detail = "the custom operator '\(name)' uses a tensor of an unsupported type"
        throw ModelError(.runtime, .modelRejected(detail: detail))
      }
      result.append(info)
    }
    return result
  }
}

extension ParsedTensor {
  /// The tensor's description; `nil` if the library does not support its type.
  fileprivate var info: TensorInfo? {
    guard let elementType = ElementType(schemaCode: typeCode) else { return nil }
    let dimensions = shapeSignature.isEmpty ? shape : shapeSignature
    return TensorInfo(
      name: table.string(3), elementType: elementType,
      shape: TensorShape(signedDimensions: dimensions),
      quantization: quantization.flatMap(\.perTensor))
  }
}

extension ParsedQuantization {
  /// The scale and zero point if there is exactly one of each.
  fileprivate var perTensor: TensorQuantization? {
    guard scales.count == 1, zeroPoints.count == 1, scales[0] != 0,
      let zeroPoint = Int(exactly: zeroPoints[0])
    else { return nil }
    return TensorQuantization(scale: scales[0], zeroPoint: zeroPoint)
  }
}

extension ElementType {
  /// The types by their code in a `.tflite` file.
  private static let schemaCodes: [UInt8: ElementType] = [
    0: .float32, 1: .float16, 2: .int32, 3: .uint8, 4: .int64, 5: .string, 6: .bool, 7: .int16,
    9: .int8, 10: .float64,
  ]

  /// Returns the type with a code in a `.tflite` file; `nil` if it is not supported.
  fileprivate init?(schemaCode: UInt8) {
    guard let type = Self.schemaCodes[schemaCode] else { return nil }
    self = type
  }
}
