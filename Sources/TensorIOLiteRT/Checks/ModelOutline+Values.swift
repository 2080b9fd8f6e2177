/// The values that tensors have in the file.
extension ModelOutline {
  /// How many bytes of values a tensor has; the first buffer stands for none.
  func valueBytes(of tensor: TensorOutline) -> UInt64 {
    guard tensor.buffer > 0, buffers.indices.contains(tensor.buffer) else { return 0 }
    return buffers[tensor.buffer].byteCount
  }

  /// The few whole numbers that a tensor holds, such as a shape; `nil` when it is no such tensor.
  func integers(of tensor: TensorOutline) -> [Int]? {
    guard case .int32 = tensor.values, let count = tensor.shape.elementCount,
      count <= TensorCheck.mostAxes,
      valueBytes(of: tensor) == UInt64(4 * count), let start = valueStart(of: tensor)
    else { return nil }
    return (0..<count).compactMap { bytes.number(Int32.self, at: start + 4 * $0).map(Int.init) }
  }

  private func valueStart(of tensor: TensorOutline) -> Int? {
    buffers[tensor.buffer].place.flatMap { Int(exactly: $0.lowerBound) }
  }
}

// MARK: - Texts

extension ModelOutline {
  /// How many texts a constant says that it has.
  func textCount(of tensor: TensorOutline) -> Int {
    valueStart(of: tensor).flatMap { bytes.number(Int32.self, at: $0) }.map(Int.init) ?? 0
  }

  /// Each text of a constant lies within it.
  func requireTexts() throws(ModelProblem) {
    let tensors = graphs.flatMap(\.tensors).filter { $0.type == .text && valueBytes(of: $0) > 0 }
    var steps = bytes.count
    for buffer in Set(tensors.map(\.buffer)).sorted() {
      guard let place = buffers[buffer].place else { continue }
      let texts = Int(clamping: place.lowerBound)..<Int(clamping: place.upperBound)
      steps -= texts.count
      try require(steps >= 0, .effort, "it uses the same bytes again and again")
      try require(
        hasTexts(in: texts), .texts, "buffer \(buffer) refers to texts that are not there")
    }
  }

  private func hasTexts(in place: Range<Int>) -> Bool {
    guard let count = bytes.number(Int32.self, at: place.lowerBound), count >= 0,
      Int(count) <= place.count / 4 - 2
    else { return false }
    var last = 4 * (Int(count) + 2)
    for index in 1...Int(count) + 1 {
      let next = Int(bytes.number(Int32.self, at: place.lowerBound + 4 * index) ?? -1)
      guard (last...place.count).contains(next) else { return false }
      last = next
    }
    return true
  }
}
