/// What the markers of a JPEG say, found without decoding anything.
///
/// A JPEG is a row of segments: `FF`, a marker, two bytes of length, content. Behind the segment
/// "start of scan" follow compressed bytes, in which `FF` is always followed by 0 or a restart
/// marker.
struct JPEGStructure {
  let width: Int
  let height: Int
  let components: Int
  let orientation: ImageOrientation

  /// Reads the markers up to the first scan.
  init(_ bytes: [UInt8]) throws(ImageError) {
    var orientation: ImageOrientation?
    var frame: Frame?
    var segments = Segments(bytes)
    while let segment = segments.next() {
      if segment.isFrame, frame == nil { frame = Frame(segment.content) }
      if segment.isApplication1, orientation == nil {
        orientation = Self.orientation(in: segment.content)
      }
      if segment.isScan { break }
    }
    guard let frame else { throw ImageError(.truncated) }
    (width, height, components) = (frame.width, frame.height, frame.components)
    self.orientation = orientation ?? .up
  }

  /// How many scans the picture has, or one more than the limit.
  static func scanCount(of bytes: [UInt8]) -> Int {
    var segments = Segments(bytes)
    var scans = 0
    while let segment = segments.next(), scans <= ImageLimits.scans {
      if segment.isScan { scans += 1 }
    }
    return scans
  }

  private static func orientation(in content: ArraySlice<UInt8>) -> ImageOrientation? {
    guard content.starts(with: EXIF.jpegPrefix) else { return nil }
    return EXIF.orientation(inTIFF: content.dropFirst(EXIF.jpegPrefix.count))
  }

  private struct Frame {
    let width, height, components: Int

    init?(_ content: ArraySlice<UInt8>) {
      let reader = ByteReader(content, .bigEndian)
      guard
        let height = reader.uint16(at: 1), let width = reader.uint16(at: 3),
        let components = reader.uint8(at: 5)
      else { return nil }
      (self.width, self.height, self.components) = (Int(width), Int(height), Int(components))
    }
  }
}

/// A segment of a JPEG.
private struct Segment {
  let marker: UInt8
  let content: ArraySlice<UInt8>

  /// Start of frame, of any kind; among those markers are three that mean something else.
  var isFrame: Bool { (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker) }
  var isScan: Bool { marker == 0xDA }
  var isApplication1: Bool { marker == 0xE1 }
}

/// The segments of a JPEG, until its end or the end of what is legible.
private struct Segments {
  private let bytes: [UInt8]
  private let reader: ByteReader
  private var position = 2  // behind "start of image"

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    reader = ByteReader(bytes, .bigEndian)
  }

  mutating func next() -> Segment? {
    while let marker = nextMarker() {
      if marker == 0xD9 { return nil }  // end of image
      if hasNoLength(marker) { continue }
      guard let length = reader.uint16(at: position).map(Int.init), length >= 2 else { return nil }
      defer { position += length }
      return Segment(
        marker: marker, content: reader.bytes(in: position + 2..<position + length))
    }
    return nil
  }

  /// Moves behind the next marker, over compressed bytes and fillers.
  private mutating func nextMarker() -> UInt8? {
    while let found = bytes.place(of: 0xFF, from: position), found < bytes.count - 1 {
      position = found + 1
      if bytes[position] == 0 || bytes[position] == 0xFF { continue }
      position += 1
      return bytes[position - 1]
    }
    return nil
  }

  private func hasNoLength(_ marker: UInt8) -> Bool {
    (0xD0...0xD8).contains(marker) || marker == 0x01
  }
}
