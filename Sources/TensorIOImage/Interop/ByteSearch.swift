#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

extension [UInt8] {
  /// Where a byte comes next, from a place on.
  ///
  /// The corresponding function is `memchr`.
  func place(of byte: UInt8, from start: Int) -> Int? {
    guard indices.contains(start) else { return nil }
    return unsafe withUnsafeBytes { memory in
      guard let base = memory.baseAddress,
        let found = unsafe memchr(base + start, Int32(byte), memory.count - start)
      else { return nil }
      return unsafe UnsafeRawPointer(found) - base
    }
  }
}
