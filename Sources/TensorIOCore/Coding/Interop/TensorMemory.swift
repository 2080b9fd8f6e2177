// The one place where the pipeline looks at a tensor's memory as numbers. Runtimes align tensors
// for any element, and lengths are checked before a pointer is made.

extension MutableRawSpan {
  /// Lends the bytes as elements of a type; bytes that fill no element are left out.
  mutating func withElements<Element: BitwiseCopyable, Failure: Error>(
    of type: Element.Type,
    _ body: (UnsafeMutableBufferPointer<Element>) throws(Failure) -> Void
  ) throws(Failure) {
    try unsafe withUnsafeMutableBytes { (bytes) throws(Failure) in
      let elements = unsafe bytes.bindMemory(to: type)
      try unsafe body(elements)
    }
  }

  /// Lends a part of the bytes, as memory of its own.
  mutating func withSubrange<Value, Failure: Error>(
    _ range: Range<Int>, _ body: (inout MutableRawSpan) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    try unsafe withUnsafeMutableBytes { (bytes) throws(Failure) in
      let memory = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[range])
      var part = unsafe memory.mutableBytes
      return try body(&part)
    }
  }

  /// Copies elements into the beginning of the memory, which holds at least as many.
  mutating func copy<Element: BitwiseCopyable>(_ elements: [Element]) {
    unsafe elements.withUnsafeBytes { source in
      unsafe withUnsafeMutableBytes { unsafe $0.copyMemory(from: source) }
    }
  }

  /// Sets every element of a type by its place.
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
  /// Makes an array from the first elements of a type.
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

  /// Copies the first elements of a type into memory of the caller's, which holds as many.
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
  /// Lends the bytes as a runtime lends its memory.
  mutating func withMutableRawSpan<Value, Failure: Error>(
    _ body: (inout MutableRawSpan) throws(Failure) -> Value
  ) throws(Failure) -> Value {
    var elements = mutableSpan
    var memory = unsafe elements.mutableBytes
    return try body(&memory)
  }

  /// The bytes as elements of a type; bytes that fill no element are left out.
  func elements<Stored: BitwiseCopyable>(of type: Stored.Type) -> [Stored] {
    let count = self.count / MemoryLayout<Stored>.size
    return unsafe withUnsafeBytes { bytes in
      (0..<count).map { index in
        unsafe bytes.loadUnaligned(fromByteOffset: index * MemoryLayout<Stored>.size, as: type)
      }
    }
  }
}
