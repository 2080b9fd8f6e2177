import CPNG

/// What the chunks of a PNG say, found without decoding anything.
///
/// A PNG is a signature and a row of chunks: four bytes of length, four of type, content, four of
/// checksum.
struct PNGStructure {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  let width: Int
  let height: Int
  /// Whether it has neither colours nor a palette.
  let isGray: Bool
  /// Whether its pixels are indexes into a palette.
  let hasPalette: Bool
  /// Whether its pixels, not its palette, have alpha.
  let hasAlpha: Bool
  /// How many bits a channel, or an index into the palette, has.
  let bitDepth: Int
  /// Whether it is stored in seven passes, coarse ones first.
  let isInterlaced: Bool
  let orientation: ImageOrientation
  /// The picture's file with nothing but the chunks that its pixels need.
  ///
  /// The decoder gets no colour profile or gamma, which it would apply to 8-bit pixels, no
  /// compressed text, which may unpack to gigabytes, and no transparency, which is not wanted.
  let essentialChunks: [UInt8]?

  /// Reads the header, and everything else as far as it is there.
  init(_ bytes: [UInt8]) throws(ImageError) {
    var chunks = Chunks(bytes)
    guard let header = chunks.next(), header.type == "IHDR", header.content.count == 13 else {
      throw ImageError(.truncated)
    }
    let reader = ByteReader(header.content, .bigEndian)
    guard
      let width = reader.uint32(at: 0), let height = reader.uint32(at: 4),
      let depth = reader.uint8(at: 8), let color = reader.uint8(at: 9),
      let interlacing = reader.uint8(at: 12)
    else { throw ImageError(.truncated) }
    (self.width, self.height) = (Int(width), Int(height))
    (bitDepth, isInterlaced) = (Int(depth), interlacing != 0)
    (isGray, hasPalette, hasAlpha) = (color & 3 == 0, color == 3, color & 4 != 0)
    (orientation, essentialChunks) = try Self.readChunks(of: chunks, after: header)
  }

  private static func readChunks(
    of chunks: consuming Chunks, after header: Chunk
  ) throws(ImageError) -> (ImageOrientation, [UInt8]?) {
    var orientation = ImageOrientation.up
    var essentials = signature + header.bytes
    var count = 1
    while let chunk = chunks.next() {
      count += 1
      guard count <= ImageLimits.maxChunks else {
        throw ImageError(.unsupported("PNG with more than \(ImageLimits.maxChunks) chunks"))
      }
      switch chunk.type {
      case "eXIf": orientation = EXIF.orientation(inTIFF: chunk.content) ?? orientation
      case "PLTE", "IDAT": essentials += chunk.bytes
      case "IEND": return (orientation, essentials + chunk.bytes)
      default: continue
      }
    }
    return (orientation, nil)
  }
}

/// A chunk of a PNG.
private struct Chunk {
  let type: String
  let content: ArraySlice<UInt8>
  /// The chunk with its length, type and checksum.
  let bytes: ArraySlice<UInt8>
}

/// The chunks of a PNG that are there to their last byte.
private struct Chunks {
  private let reader: ByteReader
  private var position = PNGStructure.signature.count

  init(_ bytes: [UInt8]) {
    reader = ByteReader(bytes, .bigEndian)
  }

  mutating func next() -> Chunk? {
    guard let length = reader.uint32(at: position).map(Int.init) else { return nil }
    let content = position + 8..<position + 8 + length
    let end = content.upperBound + 4
    guard end <= reader.count else { return nil }
    defer { position = end }
    return Chunk(
      type: String(decoding: reader.bytes(in: position + 4..<position + 8), as: UTF8.self),
      content: reader.bytes(in: content), bytes: reader.bytes(in: position..<end))
  }
}

/// libpng's simplified interface, which reports failure by value.
enum PNGCodec {
  static func decode(_ bytes: [UInt8]) throws(ImageError) -> ImageBuffer {
    let structure = try PNGStructure(bytes)
    try ImageLimits.validate(width: structure.width, height: structure.height)
    // libpng 1.6.51 and later mix such rows up (pnggroup/libpng#853); earlier ones write outside
    // their memory (CVE-2025-65018).
    guard !(structure.bitDepth == 16 && structure.isInterlaced) else {
      throw ImageError(.unsupported("interlaced PNG with 16 bits per channel"))
    }
    guard let essentials = structure.essentialChunks else { throw ImageError(.truncated) }
    let (width, height) = (structure.width, structure.height)
    let (channels, format) = layout(of: structure)
    let bytesPerPixel = Int(channels.pixelBytes)
    var problem: String?
    let decoded = unsafe PixelKernels.makeBytes(count: width * height * bytesPerPixel) { target in
      problem = unsafe read(
        essentials, as: channels, width: width, height: height, into: target)
    }
    if let problem { throw error(problem) }
    let image = ImageBuffer(
      unchecked: decoded, width: width, height: height, format: format,
      bytesPerRow: width * bytesPerPixel, orientation: structure.orientation)
    return structure.hasAlpha ? image.withoutAlpha(isGray: structure.isGray) : image
  }

  /// The channels to ask for.
  ///
  /// Pixels with alpha are read with it and freed of it later: the
  /// interface would composite them otherwise.
  private static func layout(of png: PNGStructure) -> (channels: UInt32, format: PixelFormat) {
    if png.hasAlpha { return (colorFlag | alphaFlag, .rgba) }
    return png.isGray ? (0, .gray) : (colorFlag, .rgb)
  }

  /// The indexes into its palette that a PNG's pixels are, or its gray values as they are stored.
  static func decodeIndices(_ bytes: [UInt8]) throws(ImageError) -> IndexedImage {
    let structure = try PNGStructure(bytes)
    let (width, height) = (structure.width, structure.height)
    try ImageLimits.validate(width: width, height: height)
    guard structure.hasPalette || structure.isGray && !structure.hasAlpha,
      structure.bitDepth <= 8
    else {
      throw ImageError(.unsupported("a mask that is neither a palette's nor gray with 8 bits"))
    }
    guard let essentials = structure.essentialChunks else { throw ImageError(.truncated) }
    var problem: String?
    let values = unsafe PixelKernels.makeBytes(count: width * height) { target in
      // Nobody asks for the colours, which the interface writes all the same.
      var colors = [UInt8](repeating: 0, count: 256 * colorMap.pixelBytes)
      problem = unsafe colors.withUnsafeMutableBytes { colors in
        unsafe read(
          essentials, as: colorMap, width: width, height: height, into: target,
          colors: colors.baseAddress)
      }
    }
    if let problem { throw error(problem) }
    return IndexedImage(width: width, height: height, indices: values)
  }

  private static func read(
    _ bytes: [UInt8], as format: UInt32, width: Int, height: Int,
    into target: UnsafeMutablePointer<UInt8>, colors: UnsafeMutableRawPointer? = nil
  ) -> String? {
    var image = unsafe png_image()
    unsafe image.version = UInt32(PNG_IMAGE_VERSION)
    defer { unsafe png_image_free(&image) }
    return unsafe bytes.withUnsafeBytes { memory -> String? in
      guard
        unsafe png_image_begin_read_from_memory(&image, memory.baseAddress, memory.count) != 0
      else { return unsafe image.errorMessage }
      guard unsafe image.width == UInt32(width), unsafe image.height == UInt32(height) else {
        return "two headers"
      }
      unsafe image.format = format
      // Without this, 16-bit pixels would be taken for linear light.
      unsafe image.flags |= UInt32(PNG_IMAGE_FLAG_16BIT_sRGB)
      let samples = format & colorMapFlag == 0 ? format.pixelBytes : 1
      let finished = unsafe png_image_finish_read(
        &image, nil, target, Int32(width * samples), colors)
      return unsafe finished != 0 && image.warning_or_error == 0 ? nil : image.errorMessage
    }
  }

  static func encode(_ image: ImageBuffer) throws(ImageError) -> [UInt8] {
    var png = unsafe png_image()
    unsafe png.version = UInt32(PNG_IMAGE_VERSION)
    unsafe png.width = UInt32(image.width)
    unsafe png.height = UInt32(image.height)
    unsafe png.format = image.format.pngFormat
    defer { unsafe png_image_free(&png) }
    // No PNG is longer than its pixels, a filter byte a row and a small part for packaging.
    let raw = (image.width * image.format.bytesPerPixel + 1) * image.height
    var count = raw + raw / 1_000 + 4_096
    var isWritten = false
    let encoded = unsafe [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
      unsafe image.withPixels { pixels in
        isWritten =
          unsafe png_image_write_to_memory(
            &png, target.baseAddress, &count, 0, pixels, Int32(image.bytesPerRow), nil) != 0
      }
      initialized = isWritten ? count : 0
    }
    guard isWritten else { throw ImageError(.unwritable(message: unsafe png.errorMessage)) }
    return encoded
  }

  private static func error(_ problem: String) -> ImageError {
    let meansMissing = ["Not enough image data", "Not enough compressed data", "read beyond end"]
    let isTruncated = meansMissing.contains { problem.contains($0) }
    return ImageError(isTruncated ? .truncated : .corrupt(message: problem))
  }
}

// The macros of png.h that Swift cannot import.
private let alphaFlag: UInt32 = 0x01
private let colorFlag: UInt32 = 0x02
private let colorMapFlag: UInt32 = 0x08
private let blueFirstFlag: UInt32 = 0x10
private let alphaFirstFlag: UInt32 = 0x20
private let colorMap = colorMapFlag | colorFlag | alphaFlag

extension UInt32 {
  /// How many bytes a pixel of such channels has.
  fileprivate var pixelBytes: Int {
    (self & colorFlag == 0 ? 1 : 3) + (self & alphaFlag == 0 ? 0 : 1)
  }
}

extension PixelFormat {
  fileprivate var pngFormat: UInt32 {
    switch self {
    case .gray: 0
    case .rgb: colorFlag
    case .bgr: colorFlag | blueFirstFlag
    case .rgba: colorFlag | alphaFlag
    case .argb: colorFlag | alphaFlag | alphaFirstFlag
    case .bgra: colorFlag | alphaFlag | blueFirstFlag
    }
  }
}

extension ImageBuffer {
  /// A picture whose alpha is gone; gray ones were read in colour.
  fileprivate func withoutAlpha(isGray: Bool) -> ImageBuffer {
    converted(to: isGray ? .gray : .rgb)
  }
}

extension png_image {
  /// What libpng has to say.
  fileprivate var errorMessage: String {
    unsafe withUnsafeBytes(of: message) { text in
      unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

/// A picture whose pixels name something else than colours, such as the classes of a mask.
///
/// The pixels of a PNG with a palette are the palette's indexes, those of a gray one the values that
/// are stored, also where they have fewer bits than eight.
package struct IndexedImage: Sendable, Hashable {
  /// The width in pixels.
  package let width: Int
  /// The height in pixels.
  package let height: Int
  /// An index for every pixel, row by row.
  package let indices: [UInt8]

  /// Indexes at hand.
  init(width: Int, height: Int, indices: [UInt8]) {
    (self.width, self.height, self.indices) = (width, height, indices)
  }

  /// The indexes of a PNG whose file is in memory.
  package init(decodingPNG bytes: [UInt8]) throws(ImageError) {
    guard ImageFileFormat(beginningOf: bytes) == .png else { throw ImageError(.unknownFormat) }
    self = try PNGCodec.decodeIndices(bytes)
  }
}
