import TensorIOBundle
import TensorIOCore

/// A copy of a `.tflite` file whose float weights are stored in half precision, and equal ones once.
///
/// As in the files of TensorFlow's converter, an operator at the beginning turns each weight into floats;
/// the runtime runs it once. The results change by what rounding the weights changes.
struct HalfPrecisionModel {
  private var tree: ModelTree
  private let model: ParsedModel
  /// The numbers of the buffers with half precision, by that of the original ones.
  private var halves: [Int: Int] = [:]
  private var buffers: [FlatBufferTree]
  private var codes: [FlatBufferTree]

  /// The minimum number of elements of a tensor that is converted.
  private static let minElementCount = 64
  private static let (float32, float16): (UInt8, UInt8) = (0, 1)
  /// The number of the operator that turns tensors into floats, and the first version for half precision.
  private static let (dequantize, version): (UInt32, UInt32) = (6, 3)

  /// Creates the copy.
  ///
  /// - Throws: `ModelError` if the file is no model, or has parts that cannot be copied.
  static func file(of source: ModelBytes) throws(ModelError) -> [UInt8] {
    do throws(ModelValidationError) {
      var model = try HalfPrecisionModel(source)
      model.convert()
      return model.tree.file
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.message))
    }
  }

  private init(_ source: ModelBytes) throws(ModelValidationError) {
    tree = try ModelTree(source)
    model = try ParsedModel(source)
    (buffers, codes) = (tree[.buffers], tree[.operatorCodes])
  }

  private mutating func convert() {
    var graphs = tree[.subgraphs]
    for index in graphs.indices { convert(&graphs[index], model.subgraphs[index]) }
    removeUnusedBuffers(graphs)
    shareBuffers(&graphs)
    (tree[.subgraphs], tree[.buffers], tree[.operatorCodes]) = (graphs, buffers, codes)
  }

  /// Converts the weights of a subgraph.
  private mutating func convert(_ graph: inout FlatBufferTree, _ parsed: ParsedSubgraph) {
    var tensors = graph.tables(0)
    var conversions: [FlatBufferTree] = []
    let excluded = excludedTensors(parsed)
    for (index, tensor) in parsed.tensors.enumerated() {
      guard !excluded.contains(index), tensor.typeCode == Self.float32, !tensor.isVariable,
        !tensor.hasExternalBuffer, let half = halfBuffer(of: tensor)
      else { continue }
      guard let converted = Self.half(of: tensors[index], buffer: half) else { continue }
      tensors[index].set(2, to: 0, byteCount: 4)
      conversions.append(
        FlatBufferTree(
          words: [0: UInt32(conversionCode())],
          references: [1: .integers([tensors.count]), 2: .integers([index])]))
      tensors.append(converted)
    }
    guard !conversions.isEmpty else { return }
    graph.setTables(0, tensors)
    graph.setTables(3, conversions + graph.tables(3))
  }

  /// Returns a tensor of half precision, without ranges.
  private static func half(of tensor: FlatBufferTree, buffer: Int) -> FlatBufferTree? {
    guard case .string(let name) = tensor.values[3] else { return nil }
    let kept = tensor.values.filter { [0, 7].contains($0.key) }
    return FlatBufferTree(
      words: [1: UInt32(float16), 2: UInt32(buffer), 8: 1],
      references: kept.merging([3: .string(name + Array("/half".utf8))]) { $1 })
  }

  /// The tensors that must keep their contents: what callers and the application's own operators read.
  private func excludedTensors(_ graph: ParsedSubgraph) -> Set<Int> {
    let custom = graph.operators.filter { entry in
      !model.operatorCodes[entry.operatorCodeIndex].customName.isEmpty
    }
    return Set(graph.inputs + graph.outputs + custom.flatMap(\.inputs))
  }

  /// Returns the number of the buffer with a tensor's elements in half precision; `nil` if they are not
  /// constant, few, or too large for it.
  private mutating func halfBuffer(of tensor: ParsedTensor) -> Int? {
    if let known = halves[tensor.bufferIndex] { return known }
    guard buffers.indices.contains(tensor.bufferIndex),
      case .numbers(let bytes, _, _) = buffers[tensor.bufferIndex].values[0],
      bytes.count >= 4 * Self.minElementCount,
      let contents = HalfFloat.bytes(ofFloats: bytes)
    else { return nil }
    buffers.append(
      FlatBufferTree(
        words: [:], references: [0: .numbers(contents, count: contents.count, alignment: 16)]))
    halves[tensor.bufferIndex] = buffers.count - 1
    return buffers.count - 1
  }

  /// Returns the number of the code of the operator that turns tensors into floats, which is added once.
  private mutating func conversionCode() -> Int {
    if codes.count > model.operatorCodes.count { return codes.count - 1 }
    codes.append(
      FlatBufferTree(
        words: [0: Self.dequantize, 2: Self.version, 3: Self.dequantize], references: [:]))
    return codes.count - 1
  }
}

// MARK: Buffers

extension HalfPrecisionModel {
  /// The numbers of the buffers of tensors and metadata.
  private func usedBuffers(_ graphs: [FlatBufferTree]) -> Set<Int> {
    let tensors = graphs.flatMap { $0.tables(0) }.map { Int($0.number(2)) }
    return Set(tensors + model.metadata.map(\.bufferIndex) + model.metadataBuffers)
  }

  /// Removes the contents of buffers that are not used; the numbers of the others stay.
  private mutating func removeUnusedBuffers(_ graphs: [FlatBufferTree]) {
    let used = usedBuffers(graphs)
    for index in buffers.indices where !used.contains(index) { buffers[index].remove(0) }
  }

  /// Lets tensors with equal contents use one buffer.
  private mutating func shareBuffers(_ graphs: inout [FlatBufferTree]) {
    var first: [[UInt8]: Int] = [:]
    var replacements: [Int: Int] = [:]
    let variables = Set(
      model.subgraphs.flatMap(\.tensors).filter(\.isVariable).map(\.bufferIndex))
    let metadata = Set(model.metadata.map(\.bufferIndex) + model.metadataBuffers)
    for (index, buffer) in buffers.enumerated()
    where !variables.contains(index) && !metadata.contains(index) {
      guard case .numbers(let bytes, _, _) = buffer.values[0], !bytes.isEmpty else { continue }
      if let other = first[bytes] { replacements[index] = other } else { first[bytes] = index }
    }
    for index in graphs.indices {
      graphs[index].setTables(
        0,
        graphs[index].tables(0).map { tensor in
          guard let other = replacements[Int(tensor.number(2))] else { return tensor }
          var tensor = tensor
          tensor.set(2, to: UInt32(other), byteCount: 4)
          return tensor
        })
    }
    for index in replacements.keys { buffers[index].remove(0) }
  }
}

extension FlatBufferTree.Value {
  /// A vector of integers.
  fileprivate static func integers(_ numbers: [Int]) -> Self {
    let bytes = numbers.flatMap { number in
      (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    return .numbers(bytes, count: numbers.count, alignment: 4)
  }
}
