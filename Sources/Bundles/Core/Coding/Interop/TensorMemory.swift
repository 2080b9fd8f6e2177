// All code that reads or writes tensor memory as numbers. Runtimes align tensors for every element
// type, and lengths are checked before a pointer is formed.

extension MutableRawSpan {
  /// Calls `body` with the bytes as elements of a type; incomplete trailing elements are excluded.
  mutating func withElements<Element: BitwiseCopyable, Failure: Error>(
    of type: Element.Type,
    _ body: (UnsafeMutableBufferPointer<Element>) throws(Failure) -> Void
  ) throws(Failure) {
    try unsafe withUnsafeMutableBytes { (bytes) throws(Failure) in
      let elements = unsafe bytes.bindMemory(to: type)
      try unsafe body(elements)
    }
  }

  /// Calls `body` with a subrange of the bytes.
  mutating func withSubrange<Value, Failure: Error>(
    _ range: Range<Int>, _ body: (inout MutableRawSpan) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try unsafe withUnsafeMutableBytes { (bytes) throws(Failure) in
      let memory = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[range])
      var part = unsafe memory.mutableBytes
      return try body(&part)
    }
  }

  /// Copies elements to the start of the memory, which has to be large enough.
  mutating func copy<Element: BitwiseCopyable>(_ elements: [Element]) {
    unsafe elements.withUnsafeBytes { source in
      unsafe withUnsafeMutableBytes { unsafe $0.copyMemory(from: source) }
    }
  }

  /// Sets each element by its index.
  mutating func fill<Element: BitwiseCopyable, Failure: Error>(
    as type: Element.Type, count: Int, _ element: (Int) throws(Failure) -> Element
  ) throws(Failure) {
    try unsafe withElements(of: type) { (elements) throws(Failure) in
      for index in 0..<Swift.min(count, elements.count) {
        unsafe elements[index] = try element(index)
      }
    }
  }
}

extension RawSpan {
  /// Returns an array of the first elements, which may be at any address.
  func array<Element: BitwiseCopyable>(of type: Element.Type, count: Int) -> [Element] {
    unsafe withUnsafeBytes { bytes in
      let count = Swift.min(count, bytes.count / MemoryLayout<Element>.stride)
      return unsafe Array(unsafeUninitializedCapacity: count) { elements, initialized in
        unsafe UnsafeMutableRawBufferPointer(elements).copyMemory(
          from: UnsafeRawBufferPointer(rebasing: bytes[..<(count * MemoryLayout<Element>.stride)]))
        initialized = count
      }
    }
  }

  /// Returns an array of the first elements, transformed.
  func map<Element: BitwiseCopyable, Value>(
    _ type: Element.Type, count: Int, _ transform: (Element) -> Value
  ) -> [Value] {
    unsafe withUnsafeBytes { bytes in
      let elements = unsafe bytes.bindMemory(to: type)
      let count = Swift.min(count, elements.count)
      return unsafe Array(unsafeUninitializedCapacity: count) { values, initialized in
        for index in 0..<count {
          unsafe (values.baseAddress?.advanced(by: index))?.initialize(
            to: transform(elements[index]))
        }
        initialized = count
      }
    }
  }

  /// Copies the first elements into the caller's array, which has to have their count.
  func copy<Element: BitwiseCopyable>(to destination: inout [Element]) {
    unsafe destination.withUnsafeMutableBytes { destination in
      unsafe withUnsafeBytes { source in
        let count = Swift.min(source.count, destination.count)
        unsafe destination.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[..<count]))
      }
    }
  }
}

extension [UInt8] {
  /// Calls `body` with the bytes as a mutable span, as a session does.
  mutating func withMutableRawSpan<Value, Failure: Error>(
    _ body: (inout MutableRawSpan) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var elements = mutableSpan
    var memory = unsafe elements.mutableBytes
    return try body(&memory)
  }

  /// Returns the bytes as elements of a type; incomplete trailing elements are excluded.
  func elements<Stored: BitwiseCopyable>(of type: Stored.Type) -> [Stored] {
    let count = self.count / MemoryLayout<Stored>.size
    return unsafe withUnsafeBytes { bytes in
      (0..<count).map { index in
        unsafe bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Stored>.size, as: type)
      }
    }
  }
}
