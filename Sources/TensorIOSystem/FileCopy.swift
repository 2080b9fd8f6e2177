/// Copies of files, which may be large and are copied in pieces.
package enum FileCopy {
  private static let piece = 1 << 20

  /// Copies a file to where nothing is yet.
  package static func copy(_ source: String, to target: String) throws(FileFault) {
    let input = try ReadableFile(source)
    let output = try WritableFile(creating: target)
    var rest = 0..<(input.byteCount ?? 0)
    while !rest.isEmpty {
      let place = rest.prefix(piece)
      try output.write(try input.bytes(place), at: place.lowerBound)
      rest = rest.dropFirst(place.count)
    }
    try output.close()
  }
}
