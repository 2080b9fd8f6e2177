#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The contents of a file, mapped into memory.
///
/// Processes that map the same file share its pages. A page that is written becomes private to the
/// process that writes it, and the file does not change.
@safe package final class FileMapping: @unchecked Sendable {
  /// The contents.
  package let memory: UnsafeMutableRawBufferPointer
  private let mappedByteCount: Int

  /// Maps an open file; returns `nil` if it has fewer than `byteCount` bytes, or memory is short.
  ///
  /// The descriptor may be closed afterwards. The corresponding C function is `mmap`.
  package init?(_ descriptor: CInt, byteCount: Int) {
    var facts = stat()
    guard byteCount >= 0, unsafe fstat(descriptor, &facts) == 0, facts.st_size >= byteCount else {
      return nil
    }
    mappedByteCount = max(1, byteCount)
    let address = unsafe mmap(
      nil, mappedByteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE, descriptor, 0)
    guard let address = unsafe address, unsafe address != MAP_FAILED else { return nil }
    unsafe memory = UnsafeMutableRawBufferPointer(start: address, count: byteCount)
  }

  deinit { unsafe munmap(memory.baseAddress, mappedByteCount) }

  /// A copy of the contents.
  package var bytes: [UInt8] { unsafe Array(memory) }
}
