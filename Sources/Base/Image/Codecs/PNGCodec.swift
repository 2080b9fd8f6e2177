import CPNG

/// The facts in a PNG's chunks, found without decoding pixels.
///
/// A PNG is a signature followed by chunks: a four-byte length, a four-byte type, content and a
/// four-byte checksum.
struct PNGStructure {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  let width: Int
  let height: Int
  /// Whether the image has neither colors nor a palette.
  let isGray: Bool
  /// Whether pixels are indices into a palette.
  let hasPalette: Bool
  /// Whether pixels, as opposed to palette entries, have alpha.
  let hasAlpha: Bool
  /// The number of bits per channel or palette index.
  let bitDepth: Int
  /// Whether the image is stored in seven passes of increasing resolution.
  let isInterlaced: Bool
  let orientation: ImageOrientation
  /// The file reduced to the chunks that are needed to decode its pixels; `nil` if it is truncated.
  ///
  /// The decoder gets no color profile or gamma, which it would apply to 8-bit pixels, no
  /// compressed text, which may expand to gigabytes, and no transparency, which is dropped anyway.
  let essentialChunks: [UInt8]?

  /// Reads the header and the chunks that are complete.
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
        throw ImageError(.unsupported("a PNG with more than \(ImageLimits.maxChunks) chunks"))
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

/// The complete chunks of a PNG.
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

/// libpng's simplified interface, which reports errors by return value.
enum PNGCodec {
  static func decode(_ bytes: [UInt8]) throws(ImageError) -> ImageBuffer {
    try decode(PNGStructure(bytes))
  }

  static func decode(_ structure: PNGStructure) throws(ImageError) -> ImageBuffer {
    try ImageLimits.validate(width: structure.width, height: structure.height)
    // libpng 1.6.51 and later decode such rows incorrectly (pnggroup/libpng#853); earlier versions
    // write out of bounds (CVE-2025-65018).
    guard !(structure.bitDepth == 16 && structure.isInterlaced) else {
      throw ImageError(.unsupported("an interlaced PNG with 16 bits per channel"))
    }
    guard let essentials = structure.essentialChunks else { throw ImageError(.truncated) }
    let (width, height) = (structure.width, structure.height)
    let (channels, format) = layout(of: structure)
    let bytesPerPixel = Int(channels.pixelBytes)
    var failure: String?
    let decoded = unsafe PixelKernels.makeBytes(count: width * height * bytesPerPixel) { target in
      failure = unsafe read(
        essentials, as: channels, width: width, height: height, into: target)
    }
    if let failure { throw error(failure) }
    let image = ImageBuffer(
      unchecked: decoded, width: width, height: height, format: format,
      bytesPerRow: width * bytesPerPixel, orientation: structure.orientation)
    return structure.hasAlpha ? image.withoutAlpha(isGray: structure.isGray) : image
  }

  /// Returns the channels to request from libpng.
  ///
  /// Alpha is read and dropped afterwards, because libpng would composite it otherwise.
  private static func layout(of png: PNGStructure) -> (channels: UInt32, format: PixelFormat) {
    if png.hasAlpha { return (colorFlag | alphaFlag, .rgba) }
    return png.isGray ? (0, .gray) : (colorFlag, .rgb)
  }

  /// Decodes the palette indices of a PNG, or the stored values of a gray one.
  static func decodeIndices(_ bytes: [UInt8]) throws(ImageError) -> IndexedImage {
    let structure = try PNGStructure(bytes)
    let (width, height) = (structure.width, structure.height)
    try ImageLimits.validate(width: width, height: height)
    guard structure.hasPalette || structure.isGray && !structure.hasAlpha,
      structure.bitDepth <= 8
    else {
      throw ImageError(
        .unsupported("a mask that is neither palette-based nor gray with at most 8 bits"))
    }
    guard let essentials = structure.essentialChunks else { throw ImageError(.truncated) }
    var failure: String?
    let values = unsafe PixelKernels.makeBytes(count: width * height) { target in
      // The interface requires memory for the colors, which are not used.
      var colors = [UInt8](repeating: 0, count: 256 * colorMap.pixelBytes)
      failure = unsafe colors.withUnsafeMutableBytes { colors in
        unsafe read(
          essentials, as: colorMap, width: width, height: height, into: target,
          colors: colors.baseAddress)
      }
    }
    if let failure { throw error(failure) }
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
        return "conflicting headers"
      }
      unsafe image.format = format
      // Without this flag, libpng interprets 16-bit pixels as linear light.
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
    // An upper bound: the pixels, a filter byte per row, and some space for chunk headers.
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

  /// Encodes gray pixels with 16 bits, in the byte order of the machine.
  static func encode16(
    width: Int, height: Int, _ pixels: [UInt16]
  ) throws(ImageError) -> [UInt8] {
    guard width > 0, height > 0, pixels.count == width * height,
      let columns = UInt32(exactly: width),
      let rows = UInt32(exactly: height)
    else { throw ImageError(.invalidSize(width: width, height: height)) }
    var png = unsafe png_image()
    unsafe png.version = UInt32(PNG_IMAGE_VERSION)
    unsafe png.width = columns
    unsafe png.height = rows
    unsafe png.format = linearFlag
    defer { unsafe png_image_free(&png) }
    let raw = (width * 2 + 1) * height
    var count = raw + raw / 1_000 + 4_096
    var isWritten = false
    let encoded = unsafe [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
      unsafe pixels.withUnsafeBufferPointer { pixels in
        isWritten =
          unsafe png_image_write_to_memory(
            &png, target.baseAddress, &count, 0, pixels.baseAddress, Int32(width), nil) != 0
      }
      initialized = isWritten ? count : 0
    }
    guard isWritten else { throw ImageError(.unwritable(message: unsafe png.errorMessage)) }
    return encoded
  }

  /// Returns the error for a message of libpng.
  static func error(_ message: String) -> ImageError {
    let truncationMessages = [
      "Not enough image data", "Not enough compressed data", "read beyond end",
    ]
    let isTruncated = truncationMessages.contains { message.contains($0) }
    return ImageError(isTruncated ? .truncated : .corrupt(message: message))
  }
}

// Macros of png.h that Swift cannot import.
private let alphaFlag: UInt32 = 0x01
private let colorFlag: UInt32 = 0x02
private let linearFlag: UInt32 = 0x04
private let colorMapFlag: UInt32 = 0x08
private let blueFirstFlag: UInt32 = 0x10
private let alphaFirstFlag: UInt32 = 0x20
private let colorMap = colorMapFlag | colorFlag | alphaFlag

extension UInt32 {
  /// The number of bytes per pixel in this libpng format.
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
  /// Returns the image without alpha, converted to gray if the file was gray.
  fileprivate func withoutAlpha(isGray: Bool) -> ImageBuffer {
    converted(to: isGray ? .gray : .rgb)
  }
}

extension png_image {
  /// The last error or warning of libpng.
  fileprivate var errorMessage: String {
    unsafe withUnsafeBytes(of: message) { text in
      unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}

/// An image whose pixels are indices rather than colors, such as the classes of a mask.
///
/// The indices of a PNG with a palette are its palette indices; those of a gray PNG are the stored
/// values, even if they have fewer than 8 bits.
package struct IndexedImage: Sendable, Hashable {
  /// The width in pixels.
  package let width: Int
  /// The height in pixels.
  package let height: Int
  /// One index per pixel, in row-major order.
  package let indices: [UInt8]

  /// Creates an image from its indices.
  init(width: Int, height: Int, indices: [UInt8]) {
    (self.width, self.height, self.indices) = (width, height, indices)
  }

  /// Decodes a PNG file in memory.
  package init(decodingPNG bytes: [UInt8]) throws(ImageError) {
    guard ImageFileFormat(beginningOf: bytes) == .png else { throw ImageError(.unknownFormat) }
    self = try PNGCodec.decodeIndices(bytes)
  }
}
