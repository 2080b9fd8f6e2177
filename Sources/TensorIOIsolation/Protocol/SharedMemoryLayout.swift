import TensorIOBundle
import TensorIOCore

/// Where tensors lie in one piece of memory.
package struct SharedMemoryLayout: Sendable, Hashable {
  /// The most that the tensors of one side may need.
  package static let maxByteCount = 4 << 30
  /// Every tensor begins where all of a processor's loads may.
  private static let alignment = 64

  /// The tensors' places, in order.
  package private(set) var ranges: [Range<Int>] = []
  /// How many bytes there are in all.
  package private(set) var byteCount = 0

  /// Tensors of so many bytes, one after the other; `nil` where that is more than may be.
  package init?(_ byteCounts: [Int]) {
    for count in byteCounts {
      guard count >= 0, count <= Self.maxByteCount - byteCount else { return nil }
      ranges.append(byteCount..<byteCount + count)
      byteCount += (count + Self.alignment - 1) / Self.alignment * Self.alignment
      guard byteCount <= Self.maxByteCount else { return nil }
    }
  }
}

extension ModelSignature {
  /// What a run is given: the inputs, and the placeholders after them.
  var inputsAndPlaceholders: [TensorInfo] { inputs + placeholders }

  func requireInputIndex(_ input: Int) throws(ModelError) {
    guard (0..<inputs.count + placeholders.count).contains(input) else {
      throw ModelError(
        .input, .inputCount(expected: inputs.count + placeholders.count, actual: input + 1))
    }
  }

  /// Where the inputs and placeholders lie when they have these shapes.
  func inputLayout(shapes: [[Int]]) throws(ModelError) -> SharedMemoryLayout {
    let byteCounts = zip(inputsAndPlaceholders, shapes).map { $0.byteCount(shape: $1) }
    guard shapes.count == inputsAndPlaceholders.count, let plan = SharedMemoryLayout(byteCounts.map { $0 ?? -1 }) else {
      throw ModelError(.input, .unsupported("inputs of more than \(SharedMemoryLayout.maxByteCount) bytes"))
    }
    return plan
  }

  /// How much the outputs need as far as their shapes are known; a worker asks for what is missing.
  var expectedOutputByteCount: Int {
    let byteCounts = outputs.map { $0.byteCount(shape: $0.shape.singleItemDimensions) ?? 0 }
    return SharedMemoryLayout(byteCounts)?.byteCount ?? 0
  }
}

extension TensorInfo {
  /// How many bytes the tensor has in a shape; `nil` where the number does not fit.
  fileprivate func byteCount(shape: [Int]) -> Int? {
    guard let count = shape.checkedProduct else { return nil }
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: elementType.byteCount ?? 0)
    return overflow ? nil : byteCount
  }
}
