import TensorIOBundle
import TensorIOCore

/// The operators of a signature's subgraph in a `.tflite` file.
///
/// The file has been validated.
struct SubgraphOperators {
  private let model: ParsedModel
  private let graph: ParsedSubgraph

  /// Reads the operators of a signature, or of the main subgraph of a file without signatures.
  init?(_ bytes: ModelBytes, signature: Int) {
    guard let model = try? ParsedModel(bytes) else { return nil }
    let index =
      model.signatures.indices.contains(signature) ? model.signatures[signature].subgraphIndex : 0
    guard model.subgraphs.indices.contains(index) else { return nil }
    (self.model, graph) = (model, model.subgraphs[index])
  }

  /// The maximum number of operators to follow.
  private static let maxDepth = 16
  /// The operators that change the layout or the type of the numbers but not their meaning.
  private static let transparentOperators: Set = [
    "CAST", "DEQUANTIZE", "QUANTIZE", "RESIZE_BILINEAR", "RESIZE_NEAREST_NEIGHBOR", "RESHAPE",
    "SQUEEZE", "EXPAND_DIMS",
  ]
  private static let arithmeticOperators: [String: InputRescaling.Operation] = [
    "ADD": .add, "SUB": .subtract, "MUL": .multiply, "DIV": .divide,
  ]

  /// Returns the affine function that the subgraph applies to a tensor first.
  func rescaling(of tensor: Int) -> InputRescaling {
    var result = InputRescaling()
    var tensor = tensor
    for _ in 0..<Self.maxDepth {
      guard let next = onlyConsumer(of: tensor), let output = next.outputs.first else { break }
      let name = operatorName(next)
      if let operation = Self.arithmeticOperators[name] {
        var applied = result
        guard next.inputs.count == 2, !hasActivation(next),
          let position = next.inputs.firstIndex(of: tensor),
          let constant = constant(next.inputs[1 - position]),
          applied.apply(operation, constant, isReversed: position == 1)
        else { break }
        result = applied
      } else if name == "QUANTIZE", result.storedInterval == nil, next.inputs == [tensor] {
        result.storedInterval = graph.tensors[output].byteInterval
      } else if !Self.transparentOperators.contains(name) || next.inputs.first != tensor {
        break
      }
      tensor = output
    }
    return result
  }

  private func onlyConsumer(of tensor: Int) -> ParsedOperator? {
    let consumers = graph.operators.filter { $0.inputs.contains(tensor) }
    return consumers.count == 1 ? consumers[0] : nil
  }

  private func operatorName(_ entry: ParsedOperator) -> String {
    model.operatorCodes.indices.contains(entry.operatorCodeIndex)
      ? model.operatorCodes[entry.operatorCodeIndex].name : ""
  }

  /// Whether an arithmetic operator ends with an activation function, the first field of its options.
  private func hasActivation(_ entry: ParsedOperator) -> Bool {
    entry.builtinOptions.map { $0.byte(0) != 0 } ?? false
  }

  /// Returns the numbers of a constant with one element, or one per channel.
  private func constant(_ index: Int) -> [Float]? {
    guard graph.tensors.indices.contains(index) else { return nil }
    // Constants of reduced precision are converted in the graph.
    if let source = graph.operators.first(where: { $0.outputs == [index] }) {
      guard operatorName(source) == "DEQUANTIZE", let stored = source.inputs.first,
        graph.tensors.indices.contains(stored)
      else { return nil }
      return numbers(graph.tensors[stored])
    }
    return numbers(graph.tensors[index])
  }

  private func numbers(_ tensor: ParsedTensor) -> [Float]? {
    let count = tensor.shape.reduce(1) { $0.multipliedReportingOverflow(by: $1).partialValue }
    guard count == 1 || count == 3 && tensor.shape.last == 3,
      model.buffers.indices.contains(tensor.bufferIndex),
      let range = model.buffers[tensor.bufferIndex].byteRange,
      let start = Int(exactly: range.lowerBound)
    else { return nil }
    let values: [Float?]
    switch (tensor.type, model.buffers[tensor.bufferIndex].byteCount) {
    case (.plain(byteCount: 4), UInt64(4 * count)):
      guard case .other = tensor.valueKind else { return nil }
      values = (0..<count).map { index in
        model.bytes.integer(UInt32.self, at: start + 4 * index).map(Float.init(bitPattern:))
      }
    case (.plain(byteCount: 2), UInt64(2 * count)):
      guard case .other = tensor.valueKind else { return nil }
      values = (0..<count).map { index in
        model.bytes.integer(UInt16.self, at: start + 2 * index).map(HalfFloat.value(of:))
      }
    default: return nil
    }
    let found = values.compactMap(\.self)
    return found.count == count ? found : nil
  }
}

extension ParsedTensor {
  /// The interval of the numbers that a quantized tensor of bytes can store; `nil` for others.
  fileprivate var byteInterval: ClosedRange<Float>? {
    guard case .quantized(let range) = valueKind, type == .plain(byteCount: 1),
      let scale = quantization?.scales.first, quantization?.scales.count == 1,
      let zero = quantization?.zeroPoints.first, scale > 0, scale.isFinite
    else { return nil }
    return scale * Float(range.lowerBound - zero)...scale * Float(range.upperBound - zero)
  }
}

extension SubgraphOperators {
  /// The names of the custom operators of the subgraph and of the subgraphs that it calls, in the
  /// order of the file.
  var customOperators: [String] {
    var reached: [ParsedSubgraph] = [graph]
    var known: Set<Int> = []
    var used: Set<Int> = []
    while let graph = reached.popLast() {
      for entry in graph.operators {
        used.insert(entry.operatorCodeIndex)
        let callees = (try? entry.calledSubgraphs(model.operatorCodes[entry.operatorCodeIndex]))
        for callee in callees ?? [] where known.insert(callee).inserted {
          reached.append(model.subgraphs[callee])
        }
      }
    }
    return model.operatorCodes.indices.filter(used.contains)
      .map { model.operatorCodes[$0].customName }.filter { !$0.isEmpty }
  }
}
