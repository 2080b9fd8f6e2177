#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Darwin
#endif

/// Files that appear complete or not at all.
package enum CompleteFile {
  /// Writes beside the path and renames, so that nobody ever sees half a file.
  package static func write(_ bytes: [UInt8], to path: String) throws(FileFault) {
    guard !path.utf8.contains(0) else { throw .nulInPath }
    let beside = path + ".\(UInt32.random(in: 0 ... .max)).part"
    let descriptor = unsafe open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw .last }
    var fault = writeAll(bytes, to: descriptor) ? nil : FileFault.last
    if close(descriptor) != 0, fault == nil { fault = .last }
    if fault == nil, unsafe rename(beside, path) != 0 { fault = .last }
    if let fault {
      unsafe unlink(beside)
      throw fault
    }
  }

  private static func writeAll(_ bytes: [UInt8], to descriptor: CInt) -> Bool {
    unsafe bytes.withUnsafeBytes { memory in
      var count = 0
      while count < memory.count {
        let source = unsafe memory.baseAddress?.advanced(by: count)
        let put = unsafe system_write(descriptor, source, memory.count - count)
        if put < 0, errno == EINTR { continue }
        guard put > 0 else { return false }
        count += put
      }
      return true
    }
  }
}

/// Inside the type, `write` would be its own method.
private func system_write(_ descriptor: CInt, _ memory: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, memory, count)
}
