/// Finds JPEGs in bytes that follow each other without anything that says where one ends.
///
/// A JPEG is walked segment by segment, since a segment may hold the picture's own thumbnail, with
/// a beginning and an end like any JPEG. No length is trusted: behind a segment stands a marker, or
/// else the JPEG is damaged and the next one is looked for from where that segment began. What is
/// cut off or damaged is given as it is, for a decoder to say what is wrong with it.
struct JPEGSplitter {
  /// How many bytes a JPEG may have; a longer one is cut there.
  let longest: Int

  private enum Place {
    /// Outside of any JPEG.
    case outside
    /// Where a marker must stand.
    case marker
    /// Among compressed bytes, in which a marker may come.
    case scan
  }

  /// What has come, from the beginning of the JPEG that is not yet whole.
  private var bytes: [UInt8] = []
  private var position = 0
  private var place = Place.outside

  init(longest: Int = 1 << 26) { self.longest = longest }

  /// How many bytes there are of a JPEG that has not ended.
  var heldCount: Int { place == .outside ? 0 : bytes.count }

  /// Takes in more bytes and gives the JPEGs that end in them.
  mutating func split(_ more: [UInt8]) -> [[UInt8]] {
    bytes += more
    var whole: [[UInt8]] = []
    while let end = nextEnd() {
      whole.append(Array(bytes[..<end]))
      forget(end)
    }
    return whole
  }

  /// Walks to the end of the JPEG; `nil` when more bytes are needed.
  private mutating func nextEnd() -> Int? {
    while position + 1 < bytes.count {
      switch place {
      case .outside: findBeginning()
      case .marker:
        switch markerStep() {
        case .end(let end): return end
        case .more: return nil
        case .on: break
        }
      case .scan: scanStep()
      }
      if place != .outside, position > longest { return position }
    }
    return nil
  }

  private enum Step {
    case on, more
    case end(Int)
  }

  /// Leaves behind whatever is before the next beginning.
  private mutating func findBeginning() {
    while position + 1 < bytes.count, !isBeginning(at: position) { position += 1 }
    forget(position)
    guard bytes.count > 1 else { return }
    (position, place) = (2, .marker)
  }

  /// Over one marker and its segment.
  private mutating func markerStep() -> Step {
    guard bytes[position] == 0xFF else { return .end(position) }
    let marker = bytes[position + 1]
    switch marker {
    case 0xFF: position += 1  // a filler
    case 0xD9: return .end(position + 2)
    case 0xD8, 0x00: return .end(position)
    case 0x01, 0xD0...0xD7: position += 2
    default: return segmentStep(marker)
    }
    return .on
  }

  /// Over a segment, once the marker behind it can be seen.
  private mutating func segmentStep(_ marker: UInt8) -> Step {
    guard position + 3 < bytes.count else { return .more }
    let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
    let next = position + 2 + length
    guard length >= 2 else { return .end(position) }
    guard next < bytes.count else { return .more }
    let isScan = marker == 0xDA
    guard isScan || bytes[next] == 0xFF else { return .end(position) }
    (position, place) = (next, isScan ? .scan : .marker)
    return .on
  }

  /// Over compressed bytes to the next marker.
  private mutating func scanStep() {
    while position + 1 < bytes.count, !isMarker(at: position) { position += 1 }
    if position + 1 < bytes.count { place = .marker }
  }

  /// In compressed bytes 0xFF is followed by 0, by itself, or by the number of a restart.
  private func isMarker(at place: Int) -> Bool {
    let next = bytes[place + 1]
    return bytes[place] == 0xFF && next != 0 && next != 0xFF && !(0xD0...0xD7).contains(next)
  }

  private func isBeginning(at place: Int) -> Bool {
    bytes[place] == 0xFF && bytes[place + 1] == 0xD8
  }

  private mutating func forget(_ count: Int) {
    bytes.removeFirst(count)
    (position, place) = (0, .outside)
  }
}
