import TensorIOBundle
import TensorIOCore

/// The layout of tensors in shared memory.
package struct SharedMemoryLayout: Sendable, Hashable {
  /// The maximum total size of the tensors of one side.
  package static let maxByteCount = 4 << 30
  /// The alignment of a tensor, sufficient for all vector instructions.
  private static let alignment = 64

  /// The byte ranges of the tensors, in order.
  package private(set) var ranges: [Range<Int>] = []
  /// The total number of bytes.
  package private(set) var byteCount = 0

  /// Lays out tensors with the given byte counts, or returns `nil` if the limit is exceeded.
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
  /// The inputs followed by the placeholders.
  var inputsAndPlaceholders: [TensorInfo] { inputs + placeholders }

  /// Throws if there is no input or placeholder with the index.
  func requireInputIndex(_ input: Int) throws(ModelError) {
    guard (0..<inputs.count + placeholders.count).contains(input) else {
      throw ModelError(
        .input, .inputCount(expected: inputs.count + placeholders.count, actual: input + 1))
    }
  }

  /// Returns the layout of the inputs and placeholders with the given shapes.
  ///
  /// - Throws: `ModelError` if they exceed the limit.
  func inputLayout(shapes: [[Int]]) throws(ModelError) -> SharedMemoryLayout {
    let byteCounts = zip(inputsAndPlaceholders, shapes).map { $0.byteCount(shape: $1) }
    guard shapes.count == inputsAndPlaceholders.count,
      let layout = SharedMemoryLayout(byteCounts.map { $0 ?? -1 })
    else {
      throw ModelError(
        .input, .unsupported("inputs of more than \(SharedMemoryLayout.maxByteCount) bytes"))
    }
    return layout
  }

  /// The number of bytes of the outputs with known shapes; the worker process requests more if
  /// needed.
  var expectedOutputByteCount: Int {
    let byteCounts = outputs.map { $0.byteCount(shape: $0.shape.singleItemDimensions) ?? 0 }
    return SharedMemoryLayout(byteCounts)?.byteCount ?? 0
  }
}

extension TensorInfo {
  /// Returns the number of bytes of the tensor if it has `shape`; `nil` if the number overflows.
  fileprivate func byteCount(shape: [Int]) -> Int? {
    guard let count = shape.checkedProduct else { return nil }
    let (byteCount, overflow) = count.multipliedReportingOverflow(by: elementType.byteCount ?? 0)
    return overflow ? nil : byteCount
  }
}
