/// The bytes of one record of a zip file: numbers with their lowest byte first, at known places.
struct Record {
  private let bytes: ArraySlice<UInt8>

  init(_ bytes: some Collection<UInt8>) {
    self.bytes = ArraySlice(bytes)
  }

  var count: Int { bytes.count }

  /// A number of two bytes.
  func short(_ place: Int) throws(ArchiveError) -> Int { try number(place, 2) }

  /// A number of four bytes.
  func long(_ place: Int) throws(ArchiveError) -> Int { try number(place, 4) }

  /// Bytes at a place.
  func bytes(_ place: Int, _ count: Int) throws(ArchiveError) -> ArraySlice<UInt8> {
    guard place >= 0, count >= 0, place <= bytes.count, count <= bytes.count - place else {
      throw .damaged("a record is cut off")
    }
    let start = bytes.startIndex + place
    return bytes[start..<start + count]
  }

  private func number(_ place: Int, _ count: Int) throws(ArchiveError) -> Int {
    try bytes(place, count).reversed().reduce(0) { $0 << 8 | Int($1) }
  }
}

/// The kinds of records, by the four bytes with which they begin.
enum Signature {
  static let file = 0x0403_4B50
  static let directoryEntry = 0x0201_4B50
  static let directoryEnd = 0x0605_4B50
  static let largeDirectoryEnd = 0x0706_4B50
}
