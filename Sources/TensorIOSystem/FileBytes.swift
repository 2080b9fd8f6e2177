/// Files as wholes: read up to a limit and no further.
package enum FileBytes {
  /// All bytes of a file.
  ///
  /// A file that is too large is not read at all, and one that grows while it is read is refused.
  package static func contents(
    of path: String, limit: Int, _ kinds: ReadableFile.Kinds = .filesOnly
  ) throws(FileFault) -> [UInt8] {
    let file = try ReadableFile(path, kinds)
    guard let byteCount = file.byteCount else { return try stream(file, limit: limit) }
    guard byteCount <= limit else { throw .oversized(bytes: byteCount, limit: limit) }
    // One byte more than there should be shows that the file has grown.
    let bytes = try chunk(of: file, byteCount + 1)
    guard bytes.count <= byteCount else { throw .oversized(bytes: bytes.count, limit: byteCount) }
    return bytes
  }

  /// The beginning of a file that says nothing true about its size, as those of the kernel do.
  package static func beginning(of path: String, limit: Int) throws(FileFault) -> [UInt8] {
    try chunk(of: ReadableFile(path), limit)
  }

  private static func stream(
    _ file: borrowing ReadableFile, limit: Int
  ) throws(FileFault) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      let more = try chunk(of: file, 1 << 16)
      if more.isEmpty { return bytes }
      bytes += more
      guard bytes.count <= limit else { throw .oversized(bytes: bytes.count, limit: limit) }
    }
  }

  private static func chunk(
    of file: borrowing ReadableFile, _ length: Int
  ) throws(FileFault) -> [UInt8] {
    var outcome = Result<Int, FileFault>.success(0)
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: length) { memory, count in
      outcome = Result { () throws(FileFault) in
        try unsafe file.read(into: UnsafeMutableRawBufferPointer(memory))
      }
      count = (try? outcome.get()) ?? 0
    }
    _ = try outcome.get()
    return bytes
  }
}
