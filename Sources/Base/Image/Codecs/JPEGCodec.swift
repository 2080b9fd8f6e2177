import CTurboJPEG

/// The facts in a JPEG's markers, found without decoding pixels.
///
/// A JPEG is a sequence of segments: `FF`, a marker, a two-byte length and content. The "start of
/// scan" segment is followed by compressed bytes, in which `FF` is always followed by 0 or a
/// restart marker.
struct JPEGStructure {
  let width: Int
  let height: Int
  let components: Int
  let orientation: ImageOrientation
  /// Whether the image is stored in several scans of increasing quality.
  let isProgressive: Bool
  /// The number of samples of all components per pixel; 3 without subsampling.
  let samplesPerPixel: Double

  /// Reads the markers up to the first scan.
  init(_ bytes: [UInt8]) throws(ImageError) {
    var orientation: ImageOrientation?
    var frame: Frame?
    var isProgressive = false
    var segments = Segments(bytes)
    while let segment = segments.next() {
      if segment.isFrame, frame == nil {
        frame = Frame(segment.content)
        isProgressive = segment.isProgressiveFrame
      }
      if segment.isAPP1, orientation == nil {
        orientation = Self.orientation(in: segment.content)
      }
      if segment.isScan { break }
    }
    guard let frame else { throw ImageError(.truncated) }
    (width, height, components) = (frame.width, frame.height, frame.components)
    (self.isProgressive, samplesPerPixel) = (isProgressive, frame.samplesPerPixel)
    self.orientation = orientation ?? .up
  }

  /// Returns the number of scans, or one more than the limit if there are too many.
  static func scanCount(of bytes: [UInt8]) -> Int {
    var segments = Segments(bytes)
    var scans = 0
    while let segment = segments.next(), scans <= ImageLimits.maxScans {
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
    let samplesPerPixel: Double

    init?(_ content: ArraySlice<UInt8>) {
      let reader = ByteReader(content, .bigEndian)
      guard
        let height = reader.uint16(at: 1), let width = reader.uint16(at: 3),
        let components = reader.uint8(at: 5)
      else { return nil }
      (self.width, self.height, self.components) = (Int(width), Int(height), Int(components))
      // Each component has a number, two sampling factors of four bits, and a table.
      let factors = (0..<self.components).compactMap { reader.uint8(at: 7 + 3 * $0) }
      let (columns, rows) = (factors.map { Int($0 >> 4) }, factors.map { Int($0 & 15) })
      let samples = zip(columns, rows).reduce(0) { $0 + $1.0 * $1.1 }
      let maxSamples = (columns.max() ?? 0) * (rows.max() ?? 0)
      samplesPerPixel =
        maxSamples > 0 ? Double(samples) / Double(maxSamples) : Double(self.components)
    }
  }
}

/// A segment of a JPEG.
private struct Segment {
  let marker: UInt8
  let content: ArraySlice<UInt8>

  /// Whether the segment is a start of frame.
  ///
  /// Three markers of that range have other meanings.
  var isFrame: Bool { (0xC0...0xCF).contains(marker) && ![0xC4, 0xC8, 0xCC].contains(marker) }
  /// Whether the segment starts a progressive frame.
  var isProgressiveFrame: Bool { [0xC2, 0xC6, 0xCA, 0xCE].contains(marker) }
  var isScan: Bool { marker == 0xDA }
  var isAPP1: Bool { marker == 0xE1 }
}

/// The segments of a JPEG, up to its end or the first one that cannot be parsed.
private struct Segments {
  private let bytes: [UInt8]
  private let reader: ByteReader
  private var position = 2  // after "start of image"

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

  /// Advances past the next marker, skipping compressed bytes and fill bytes.
  private mutating func nextMarker() -> UInt8? {
    while let found = bytes.index(of: 0xFF, from: position), found < bytes.count - 1 {
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

/// libjpeg-turbo's TurboJPEG interface, which reports errors by return value.
enum JPEGCodec {
  static func decode(_ bytes: [UInt8], _ options: DecodingOptions) throws(ImageError) -> ImageBuffer
  {
    let structure = try JPEGStructure(bytes)
    try ImageLimits.validate(width: structure.width, height: structure.height)
    let scans = JPEGStructure.scanCount(of: bytes)
    guard scans > 0 else { throw ImageError(.truncated) }
    guard scans <= ImageLimits.maxScans else {
      throw ImageError(.unsupported("a JPEG with more than \(ImageLimits.maxScans) scans"))
    }
    let decoder = try Decoder()
    let header = try decoder.header(of: bytes)
    // The decoder may interpret the header differently than `JPEGStructure` does.
    try ImageLimits.validate(width: header.width, height: header.height)
    let divisor = options.scaleDenominator(
      width: header.width, height: header.height,
      orientation: options.orientation ?? structure.orientation)
    let width = header.width.scaledDown(by: divisor)
    let height = header.height.scaledDown(by: divisor)
    let pixels = try decoder.pixels(
      of: bytes, header.layout, width: width, height: height, inOneScan: scans == 1)
    return ImageBuffer(
      unchecked: pixels, width: width, height: height, format: header.layout.format,
      bytesPerRow: width * header.layout.format.bytesPerPixel, orientation: structure.orientation,
      reduction: (
        Double(header.width) / Double(width), Double(header.height) / Double(height)
      ))
  }

  static func encode(_ image: ImageBuffer, quality: Int) throws(ImageError) -> [UInt8] {
    guard let handle = unsafe tjInitCompress() else {
      throw ImageError(.unwritable(message: "out of memory"))
    }
    defer { unsafe _ = tjDestroy(handle) }
    var memory: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { unsafe tjFree(memory) }
    let isGray = !image.format.hasColor
    let status = unsafe image.withPixels { pixels in
      unsafe tjCompress2(
        handle, pixels, Int32(image.width), Int32(image.bytesPerRow), Int32(image.height),
        image.format.turboJPEGFormat, &memory, &count,
        Int32(isGray ? TJSAMP_GRAY.rawValue : TJSAMP_420.rawValue),
        Int32(min(max(quality, 1), 100)), TJFLAG_ACCURATEDCT)
    }
    guard status == 0, let memory = unsafe memory else {
      throw unsafe ImageError(.unwritable(message: errorMessage(of: handle)))
    }
    return unsafe Array(UnsafeBufferPointer(start: memory, count: Int(count)))
  }

  fileprivate static func errorMessage(of handle: tjhandle) -> String {
    unsafe String(cString: tjGetErrorStr2(handle))
  }
}

/// The channel layouts that a JPEG can be decoded to.
private enum JPEGColorLayout {
  case gray, rgb, cmyk

  var format: PixelFormat { self == .gray ? .gray : .rgb }

  var turboJPEGFormat: Int32 {
    switch self {
    case .gray: TJPF_GRAY.rawValue
    case .rgb: TJPF_RGB.rawValue
    case .cmyk: TJPF_CMYK.rawValue
    }
  }

  var bytesPerPixel: Int { self == .cmyk ? 4 : format.bytesPerPixel }
}

/// A decompressor for one image.
@safe private struct Decoder: ~Copyable {
  private let handle: tjhandle

  init() throws(ImageError) {
    guard let handle = unsafe tjInitDecompress() else {
      throw ImageError(.unreadable(message: "out of memory"))
    }
    unsafe self.handle = handle
  }

  deinit {
    unsafe _ = tjDestroy(handle)
  }

  func header(
    of bytes: [UInt8]
  ) throws(ImageError) -> (width: Int, height: Int, layout: JPEGColorLayout) {
    var (width, height, subsampling, space): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    let status = unsafe bytes.withUnsafeBufferPointer { memory in
      unsafe tjDecompressHeader3(
        handle, memory.baseAddress, UInt(memory.count), &width, &height, &subsampling, &space)
    }
    guard status == 0 else { throw error() }
    let layout: JPEGColorLayout =
      switch UInt32(bitPattern: space) {
      case UInt32(TJCS_GRAY.rawValue): .gray
      case UInt32(TJCS_CMYK.rawValue), UInt32(TJCS_YCCK.rawValue): .cmyk
      default: .rgb
      }
    return (Int(width), Int(height), layout)
  }

  func pixels(
    of bytes: [UInt8], _ layout: JPEGColorLayout, width: Int, height: Int, inOneScan: Bool
  ) throws(ImageError) -> [UInt8] {
    // A warning means that some pixels are guesses, which is worse than an error.
    var (decoded, isClean) = decode(bytes, layout, width, height, TJFLAG_STOPONWARNING)
    if !isClean {
      guard inOneScan, isTrailingDataWarning else { throw error() }
      (decoded, _) = decode(bytes, layout, width, height, 0)
    }
    return layout == .cmyk ? PixelKernels.rgb(fromInvertedCMYK: decoded) : decoded
  }

  private func decode(
    _ bytes: [UInt8], _ layout: JPEGColorLayout, _ width: Int, _ height: Int, _ strictness: Int32
  ) -> (pixels: [UInt8], isClean: Bool) {
    var status: Int32 = 0
    let decoded = unsafe PixelKernels.makeBytes(count: width * height * layout.bytesPerPixel) {
      target in
      unsafe bytes.withUnsafeBufferPointer { memory in
        status = unsafe tjDecompress2(
          handle, memory.baseAddress, UInt(memory.count), target, Int32(width),
          Int32(width * layout.bytesPerPixel), Int32(height), layout.turboJPEGFormat,
          TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS | strictness)
      }
    }
    return (decoded, status == 0)
  }

  /// Whether the first warning is about bytes between the last pixel and the end marker.
  ///
  /// Some cameras write such bytes, and no pixel depends on them. In an image with several scans,
  /// they may be the remains of a corrupt scan.
  private var isTrailingDataWarning: Bool {
    unsafe JPEGCodec.errorMessage(of: handle).contains("extraneous bytes before marker 0xd9")
  }

  private func error() -> ImageError {
    let message = unsafe JPEGCodec.errorMessage(of: handle)
    return ImageError(message.contains("Premature end") ? .truncated : .corrupt(message: message))
  }
}

extension PixelFormat {
  fileprivate var turboJPEGFormat: Int32 {
    switch self {
    case .rgb: TJPF_RGB.rawValue
    case .bgr: TJPF_BGR.rawValue
    case .rgba: TJPF_RGBA.rawValue
    case .argb: TJPF_ARGB.rawValue
    case .bgra: TJPF_BGRA.rawValue
    case .gray: TJPF_GRAY.rawValue
    }
  }
}

extension JPEGStructure {
  /// The memory for decoding the image at a scale, in bytes.
  ///
  /// The coefficients of an image with several scans are all in memory, at any scale.
  func byteCount(scaleDenominator: Int, scans: Int) -> Int {
    let side = { (length: Int) in (length.scaledDown(by: scaleDenominator) + 8) }
    let decoded = side(width) * side(height) * (components > 3 ? 7 : 3)
    guard isProgressive || scans > 1 else { return decoded }
    let coefficients = Double((width + 16) * (height + 16)) * samplesPerPixel * 2
    return decoded + Int(coefficients)
  }
}

extension Int {
  /// Returns a side length divided by the scale denominator, rounded up as the decoder does.
  fileprivate func scaledDown(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
}
