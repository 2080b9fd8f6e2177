package import TensorIOCore

/// Frames that are JPEGs, one after the other.
package struct MotionJPEGSource: FrameSource {
  /// How many bytes are read at a time.
  private static let chunkLength = 1 << 16

  package let frameRate: Double?
  private let stream: any ByteStream
  private var splitter = JPEGSplitter()
  private var pendingImages: ArraySlice<[UInt8]> = []
  private var count = 0

  package init(_ stream: any ByteStream, frameRate: Double?) {
    (self.stream, self.frameRate) = (stream, frameRate)
  }

  package mutating func next() throws(OperationError) -> FrameImage? {
    while pendingImages.isEmpty {
      let piece = try stream.readBytes(upTo: Self.chunkLength, waitForAll: false)
      guard !piece.isEmpty else { return try end() }
      pendingImages = splitter.append(piece)[...]
    }
    count += 1
    return pendingImages.popFirst().map(FrameImage.jpeg)
  }

  private mutating func end() throws(OperationError) -> FrameImage? {
    guard splitter.bufferedCount > 0 else { return nil }
    throw .truncatedStream(inFrame: count, received: splitter.bufferedCount)
  }
}

/// Finds JPEGs in bytes that follow each other without anything that says where one ends.
///
/// A JPEG is walked segment by segment, since a segment may hold the picture's own thumbnail, with
/// a beginning and an end like any JPEG. No length is trusted: behind a segment stands a marker, or
/// else the JPEG is damaged and the next one is looked for from where that segment began. What is
/// cut off or damaged is given as it is, for a decoder to say what is wrong with it.
struct JPEGSplitter {
  /// How many bytes a JPEG may have; a longer one is cut there.
  let maxBytes: Int

  private enum State {
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
  private var state = State.outside

  init(maxBytes: Int = 1 << 26) { self.maxBytes = maxBytes }

  /// How many bytes there are of a JPEG that has not ended.
  var bufferedCount: Int { state == .outside ? 0 : bytes.count }

  /// Takes in more bytes and gives the JPEGs that end in them.
  mutating func append(_ more: [UInt8]) -> [[UInt8]] {
    bytes += more
    var whole: [[UInt8]] = []
    while let end = nextEnd() {
      whole.append(Array(bytes[..<end]))
      discard(end)
    }
    return whole
  }

  /// Walks to the end of the JPEG; `nil` when more bytes are needed.
  private mutating func nextEnd() -> Int? {
    while position + 1 < bytes.count {
      switch state {
      case .outside: findStart()
      case .marker:
        switch markerStep() {
        case .end(let end): return end
        case .needsMoreBytes: return nil
        case .advanced: break
        }
      case .scan: scanStep()
      }
      if state != .outside, position > maxBytes { return position }
    }
    return nil
  }

  private enum StepResult {
    case advanced, needsMoreBytes
    case end(Int)
  }

  /// Leaves behind whatever is before the next beginning.
  private mutating func findStart() {
    while position + 1 < bytes.count, !isStartOfImage(at: position) { position += 1 }
    discard(position)
    guard bytes.count > 1 else { return }
    (position, state) = (2, .marker)
  }

  /// Over one marker and its segment.
  private mutating func markerStep() -> StepResult {
    guard bytes[position] == 0xFF else { return .end(position) }
    let marker = bytes[position + 1]
    switch marker {
    case 0xFF: position += 1  // a filler
    case 0xD9: return .end(position + 2)
    case 0xD8, 0x00: return .end(position)
    case 0x01, 0xD0...0xD7: position += 2
    default: return segmentStep(marker)
    }
    return .advanced
  }

  /// Over a segment, once the marker behind it can be seen.
  private mutating func segmentStep(_ marker: UInt8) -> StepResult {
    guard position + 3 < bytes.count else { return .needsMoreBytes }
    let length = Int(bytes[position + 2]) << 8 | Int(bytes[position + 3])
    let next = position + 2 + length
    guard length >= 2 else { return .end(position) }
    guard next < bytes.count else { return .needsMoreBytes }
    let isScan = marker == 0xDA
    guard isScan || bytes[next] == 0xFF else { return .end(position) }
    (position, state) = (next, isScan ? .scan : .marker)
    return .advanced
  }

  /// Over compressed bytes to the next marker.
  private mutating func scanStep() {
    while position + 1 < bytes.count, !isMarker(at: position) { position += 1 }
    if position + 1 < bytes.count { state = .marker }
  }

  /// In compressed bytes 0xFF is followed by 0, by itself, or by the number of a restart.
  private func isMarker(at place: Int) -> Bool {
    let next = bytes[place + 1]
    return bytes[place] == 0xFF && next != 0 && next != 0xFF && !(0xD0...0xD7).contains(next)
  }

  private func isStartOfImage(at place: Int) -> Bool {
    bytes[place] == 0xFF && bytes[place + 1] == 0xD8
  }

  private mutating func discard(_ count: Int) {
    bytes.removeFirst(count)
    (position, state) = (0, .outside)
  }
}
