/// Text in memory that C code can read.
@safe final class CString: @unchecked Sendable {  // immutable after initialization
  let pointer: UnsafePointer<CChar>

  init(_ text: String) {
    let bytes = Array(text.utf8)
    let memory = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
    for (index, byte) in bytes.enumerated() { unsafe memory[index] = CChar(bitPattern: byte) }
    unsafe memory[bytes.count] = 0
    unsafe pointer = UnsafePointer(memory)
  }

  deinit { unsafe pointer.deallocate() }
}
