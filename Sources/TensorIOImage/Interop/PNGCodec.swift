import CPNG

/// libpng's simplified interface, which reports failure by value.
enum PNGCodec {
  static func decode(_ bytes: [UInt8]) throws(ImageError) -> ImageBuffer {
    let structure = try PNGStructure(bytes)
    try ImageLimits.check(width: structure.width, height: structure.height)
    // libpng 1.6.51 and later mix such rows up (pnggroup/libpng#853); earlier ones write outside
    // their memory (CVE-2025-65018).
    guard !(structure.bitDepth == 16 && structure.isInterlaced) else {
      throw ImageError(.unsupported("interlaced PNG with 16 bits per channel"))
    }
    guard let essentials = structure.essentials else { throw ImageError(.truncated) }
    let (width, height) = (structure.width, structure.height)
    let (channels, format) = layout(of: structure)
    let bytesPerPixel = Int(channels.pixelBytes)
    var problem: String?
    let decoded = unsafe PixelKernels.bytes(count: width * height * bytesPerPixel) { target in
      problem = unsafe read(
        essentials, as: channels, width: width, height: height, into: target)
    }
    if let problem { throw failure(problem) }
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
  static func decodeIndexes(_ bytes: [UInt8]) throws(ImageError) -> ImageIndexes {
    let structure = try PNGStructure(bytes)
    let (width, height) = (structure.width, structure.height)
    try ImageLimits.check(width: width, height: height)
    guard structure.hasPalette || structure.isGray && !structure.hasAlpha,
      structure.bitDepth <= 8
    else {
      throw ImageError(.unsupported("a mask that is neither a palette's nor gray with 8 bits"))
    }
    guard let essentials = structure.essentials else { throw ImageError(.truncated) }
    var problem: String?
    let values = unsafe PixelKernels.bytes(count: width * height) { target in
      // Nobody asks for the colours, which the interface writes all the same.
      var colors = [UInt8](repeating: 0, count: 256 * colorMap.pixelBytes)
      problem = unsafe colors.withUnsafeMutableBytes { colors in
        unsafe read(
          essentials, as: colorMap, width: width, height: height, into: target,
          colors: colors.baseAddress)
      }
    }
    if let problem { throw failure(problem) }
    return ImageIndexes(width: width, height: height, values: values)
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
      else { return unsafe image.problem }
      guard unsafe image.width == UInt32(width), unsafe image.height == UInt32(height) else {
        return "two headers"
      }
      unsafe image.format = format
      // Without this, 16-bit pixels would be taken for linear light.
      unsafe image.flags |= UInt32(PNG_IMAGE_FLAG_16BIT_sRGB)
      let samples = format & colorMapFlag == 0 ? format.pixelBytes : 1
      let finished = unsafe png_image_finish_read(
        &image, nil, target, Int32(width * samples), colors)
      return unsafe finished != 0 && image.warning_or_error == 0 ? nil : image.problem
    }
  }

  static func encode(_ image: ImageBuffer) throws(ImageError) -> [UInt8] {
    var png = unsafe png_image()
    unsafe png.version = UInt32(PNG_IMAGE_VERSION)
    unsafe png.width = UInt32(image.width)
    unsafe png.height = UInt32(image.height)
    unsafe png.format = image.format.simplifiedPNG
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
    guard isWritten else { throw ImageError(.unwritable(problem: unsafe png.problem)) }
    return encoded
  }

  private static func failure(_ problem: String) -> ImageError {
    let meansMissing = ["Not enough image data", "Not enough compressed data", "read beyond end"]
    let isTruncated = meansMissing.contains { problem.contains($0) }
    return ImageError(isTruncated ? .truncated : .damaged(problem: problem))
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
  fileprivate var simplifiedPNG: UInt32 {
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
  fileprivate var problem: String {
    unsafe withUnsafeBytes(of: message) { text in
      unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
  }
}
