internal import TensorIOCore
internal import TensorIOIsolation

extension Session {
  /// Fills an input with what lies in shared memory, or came along.
  func fill(_ feed: Feed, from memory: SharedMemory) throws(ModelError) {
    switch feed {
    case .texts(let input, let texts): try fill(input, strings: texts)
    case .bytes(let input, let range):
      try fill(input) { (span) throws(ModelError) in
        guard span.byteCount == range.count else {
          throw ModelError(
            .input, .wrongByteCount(expected: span.byteCount, actual: range.count))
        }
        try span.take(range, of: memory)
      }
    }
  }
}

extension MutableRawSpan {
  fileprivate mutating func take(
    _ range: Range<Int>, of memory: SharedMemory
  ) throws(ModelError) {
    guard memory.put(range, into: &self) else {
      throw ModelError(.input, .failed("the worker was given too little memory"))
    }
  }
}
