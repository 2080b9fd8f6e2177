/// Passes bytes on into a tensor untouched: a `string` layer.
struct BytesEncoder: Sendable {
  /// Writes a value whose bytes fill the tensor exactly.
  func encode(_ value: LayerValue, into memory: inout MutableRawSpan) throws(ModelError) {
    let bytes = try bytes(of: value)
    guard bytes.count == memory.byteCount else {
      throw ModelError(.input, .wrongByteCount(expected: memory.byteCount, actual: bytes.count))
    }
    memory.copy(bytes)
  }

  private func bytes(of value: LayerValue) throws(ModelError) -> [UInt8] {
    switch value {
    case .bytes(let bytes): return bytes
    case .strings(let strings) where strings.count == 1: return strings[0]
    case .strings, .numbers, .image, .classification, .list:
      throw ModelError(.input, .wrongType(expected: "bytes", actual: value.kindName))
    }
  }
}
