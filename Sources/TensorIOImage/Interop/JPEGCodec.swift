import CTurboJPEG

/// TurboJPEG: the one interface of libjpeg-turbo that reports failure by value.
enum JPEGCodec {
  static func decode(_ bytes: [UInt8], _ options: DecodingOptions) throws(ImageError) -> ImageBuffer
  {
    let structure = try JPEGStructure(bytes)
    try ImageLimits.check(width: structure.width, height: structure.height)
    let scans = JPEGStructure.scanCount(of: bytes)
    guard scans > 0 else { throw ImageError(.truncated) }
    guard scans <= ImageLimits.scans else {
      throw ImageError(.unsupported("JPEG with more than \(ImageLimits.scans) scans"))
    }
    let decoder = try Decoder()
    let header = try decoder.header(of: bytes)
    // The decoder's own word counts, should it ever differ from what the markers told.
    try ImageLimits.check(width: header.width, height: header.height)
    let divisor = options.reduction(
      width: header.width, height: header.height,
      orientation: options.orientation ?? structure.orientation)
    let (width, height) = (header.width.reduced(by: divisor), header.height.reduced(by: divisor))
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
      throw ImageError(.unwritable(problem: "no memory"))
    }
    defer { unsafe _ = tjDestroy(handle) }
    var memory: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    defer { unsafe tjFree(memory) }
    let isGray = !image.format.hasColor
    let status = unsafe image.withPixels { pixels in
      unsafe tjCompress2(
        handle, pixels, Int32(image.width), Int32(image.bytesPerRow), Int32(image.height),
        image.format.turboJPEG, &memory, &count,
        Int32(isGray ? TJSAMP_GRAY.rawValue : TJSAMP_420.rawValue),
        Int32(min(max(quality, 1), 100)), TJFLAG_ACCURATEDCT)
    }
    guard status == 0, let memory = unsafe memory else {
      throw unsafe ImageError(.unwritable(problem: problem(of: handle)))
    }
    return unsafe Array(UnsafeBufferPointer(start: memory, count: Int(count)))
  }

  fileprivate static func problem(of handle: tjhandle) -> String {
    unsafe String(cString: tjGetErrorStr2(handle))
  }
}

/// The channels in which a JPEG is decoded.
private enum JPEGLayout {
  case gray, color, inks

  var format: PixelFormat { self == .gray ? .gray : .rgb }

  var turboJPEG: Int32 {
    switch self {
    case .gray: TJPF_GRAY.rawValue
    case .color: TJPF_RGB.rawValue
    case .inks: TJPF_CMYK.rawValue
    }
  }

  var bytesPerPixel: Int { self == .inks ? 4 : format.bytesPerPixel }
}

/// A decompressor that lives as long as one picture.
@safe private struct Decoder: ~Copyable {
  private let handle: tjhandle

  init() throws(ImageError) {
    guard let handle = unsafe tjInitDecompress() else {
      throw ImageError(.unreadable(problem: "no memory"))
    }
    unsafe self.handle = handle
  }

  deinit {
    unsafe _ = tjDestroy(handle)
  }

  func header(of bytes: [UInt8]) throws(ImageError) -> (width: Int, height: Int, layout: JPEGLayout)
  {
    var (width, height, subsampling, space): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    let status = unsafe bytes.withUnsafeBufferPointer { memory in
      unsafe tjDecompressHeader3(
        handle, memory.baseAddress, UInt(memory.count), &width, &height, &subsampling, &space)
    }
    guard status == 0 else { throw failure() }
    let layout: JPEGLayout =
      switch UInt32(bitPattern: space) {
      case UInt32(TJCS_GRAY.rawValue): .gray
      case UInt32(TJCS_CMYK.rawValue), UInt32(TJCS_YCCK.rawValue): .inks
      default: .color
      }
    return (Int(width), Int(height), layout)
  }

  func pixels(
    of bytes: [UInt8], _ layout: JPEGLayout, width: Int, height: Int, inOneScan: Bool
  ) throws(ImageError) -> [UInt8] {
    // A warning means pixels that are guessed, and a guess is worse than an error.
    var (decoded, isClean) = decode(bytes, layout, width, height, TJFLAG_STOPONWARNING)
    if !isClean {
      guard inOneScan, isBehindTheLastPixel else { throw failure() }
      (decoded, _) = decode(bytes, layout, width, height, 0)
    }
    return layout == .inks ? PixelKernels.colors(ofInks: decoded) : decoded
  }

  private func decode(
    _ bytes: [UInt8], _ layout: JPEGLayout, _ width: Int, _ height: Int, _ strictness: Int32
  ) -> (pixels: [UInt8], isClean: Bool) {
    var status: Int32 = 0
    let decoded = unsafe PixelKernels.bytes(count: width * height * layout.bytesPerPixel) {
      target in
      unsafe bytes.withUnsafeBufferPointer { memory in
        status = unsafe tjDecompress2(
          handle, memory.baseAddress, UInt(memory.count), target, Int32(width),
          Int32(width * layout.bytesPerPixel), Int32(height), layout.turboJPEG,
          TJFLAG_ACCURATEDCT | TJFLAG_LIMITSCANS | strictness)
      }
    }
    return (decoded, status == 0)
  }

  /// Whether the first warning is of bytes between the last pixel and the end marker.
  ///
  /// Some cameras write such bytes; nothing is guessed because of them. In a picture of several
  /// scans they may be what is left of a scan.
  private var isBehindTheLastPixel: Bool {
    unsafe JPEGCodec.problem(of: handle).contains("extraneous bytes before marker 0xd9")
  }

  private func failure() -> ImageError {
    let problem = unsafe JPEGCodec.problem(of: handle)
    return ImageError(problem.contains("Premature end") ? .truncated : .damaged(problem: problem))
  }
}

extension PixelFormat {
  fileprivate var turboJPEG: Int32 {
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

extension Int {
  /// A side decoded smaller: a last incomplete pixel counts.
  fileprivate func reduced(by divisor: Int) -> Int { (self + divisor - 1) / divisor }
}
