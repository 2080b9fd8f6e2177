extension SHA256 {
  private static let pieceLength = 1 << 18

  /// The digest of a file, and how many bytes it has.
  package static func digest(
    ofFile path: String
  ) throws(FileFault) -> (digest: [UInt8], byteCount: Int) {
    let file = try ReadableFile(path)
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: pieceLength, alignment: 64)
    defer { unsafe piece.deallocate() }
    var (digest, byteCount) = (SHA256(), 0)
    while true {
      let count = try unsafe file.read(into: piece)
      unsafe digest.add(UnsafeRawBufferPointer(rebasing: piece[..<count]))
      byteCount += count
      if count < pieceLength { return (digest.finish(), byteCount) }
    }
  }
}
