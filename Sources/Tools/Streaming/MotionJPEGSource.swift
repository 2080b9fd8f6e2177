package import TensorIOCore

/// Frames that are concatenated JPEG files.
package struct MotionJPEGSource: FrameSource {
  /// The number of bytes to read at a time.
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
      let chunk = try stream.readBytes(upTo: Self.chunkLength, waitForAll: false)
      guard !chunk.isEmpty else { return try end() }
      pendingImages = splitter.append(chunk)[...]
    }
    count += 1
    return pendingImages.popFirst().map(FrameImage.jpeg)
  }

  private mutating func end() throws(OperationError) -> FrameImage? {
    guard splitter.bufferedCount > 0 else { return nil }
    throw .truncatedStream(inFrame: count, received: splitter.bufferedCount)
  }
}

/// Splits a byte stream into the JPEG files that it contains.
///
/// The splitter walks each file segment by segment, because a segment may contain a thumbnail with
/// its own start and end markers. Lengths are not trusted: if no marker follows a segment, the file
/// is corrupt and the search for the next one continues at the start of that segment. Truncated and
/// corrupt files are returned unchanged, so that the decoder reports the error.
struct JPEGSplitter {
  /// The maximum size of a file; longer files are cut.
  let maxBytes: Int

  private enum State {
    /// Outside a file.
    case outside
    /// At a position that must hold a marker.
    case marker
    /// In entropy-coded data, which a marker ends.
    case scan
  }

  /// The received bytes, from the start of the incomplete file.
  private var bytes: [UInt8] = []
  private var position = 0
  private var state = State.outside

  init(maxBytes: Int = 1 << 26) { self.maxBytes = maxBytes }

  /// The number of received bytes of the incomplete file.
  var bufferedCount: Int { state == .outside ? 0 : bytes.count }

  /// Appends bytes and returns the files that they complete.
  mutating func append(_ more: [UInt8]) -> [[UInt8]] {
    bytes += more
    var files: [[UInt8]] = []
    while let end = nextEnd() {
      files.append(Array(bytes[..<end]))
      discard(end)
    }
    return files
  }

  /// Returns the offset of the end of the current file, or `nil` if more bytes are needed.
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

  /// Discards the bytes before the next start of an image.
  private mutating func findStart() {
    while position + 1 < bytes.count, !isStartOfImage(at: position) { position += 1 }
    discard(position)
    guard bytes.count > 1 else { return }
    (position, state) = (2, .marker)
  }

  /// Skips a marker and its segment.
  private mutating func markerStep() -> StepResult {
    guard bytes[position] == 0xFF else { return .end(position) }
    let marker = bytes[position + 1]
    switch marker {
    case 0xFF: position += 1  // fill byte
    case 0xD9: return .end(position + 2)
    case 0xD8, 0x00: return .end(position)
    case 0x01, 0xD0...0xD7: position += 2
    default: return segmentStep(marker)
    }
    return .advanced
  }

  /// Skips a segment, once the byte after it was received.
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

  /// Skips entropy-coded data up to the next marker.
  private mutating func scanStep() {
    while position + 1 < bytes.count, !isMarker(at: position) { position += 1 }
    if position + 1 < bytes.count { state = .marker }
  }

  // In entropy-coded data, 0xFF 0x00 is an escaped byte, 0xFF 0xFF is padding and 0xFF 0xD0…0xD7
  // are restart markers.
  private func isMarker(at index: Int) -> Bool {
    let next = bytes[index + 1]
    return bytes[index] == 0xFF && next != 0 && next != 0xFF && !(0xD0...0xD7).contains(next)
  }

  private func isStartOfImage(at index: Int) -> Bool {
    bytes[index] == 0xFF && bytes[index + 1] == 0xD8
  }

  private mutating func discard(_ count: Int) {
    bytes.removeFirst(count)
    (position, state) = (0, .outside)
  }
}
