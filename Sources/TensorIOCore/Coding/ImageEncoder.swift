import TensorIOBundle
import TensorIOImage

/// Fits a picture into an image layer and writes its pixels into the tensor.
struct ImageEncoder: Sendable {
  /// The order of the channels in the tensor.
  let format: PixelFormat
  /// How the picture is turned, fitted and resampled.
  let preparation: ImagePreparation
  /// Which way encoded pictures lie, and how much of them is decoded.
  let decoding: DecodingOptions
  /// How a pixel becomes elements.
  let writer: PixelWriter
  /// For values that are prepared already.
  let numbers: NumberEncoder

  /// Writes a picture, or numbers that are prepared already.
  ///
  /// Returns how the picture was fitted.
  func encode(
    _ value: LayerValue, into memory: inout MutableRawSpan
  ) throws(ModelError) -> ImageGeometry? {
    switch value {
    case .image(let image):
      guard imageCount == 1 else { throw mismatch("a picture") }
      return try write(image, into: &memory)
    case .list(let pictures) where pictures.count == imageCount:
      try write(pictures, into: &memory)
    case .numbers:
      try numbers.encode(value, into: &memory)
    case .bytes, .strings, .classification, .list:
      throw mismatch(value.kindDescription)
    }
    return nil
  }

  /// The picture that encoded bytes hold.
  func decode(_ bytes: [UInt8]) throws(ImageError) -> ImageBuffer {
    try ImageBuffer(decoding: bytes, decoding)
  }

  private func write(
    _ image: ImageBuffer, into memory: inout MutableRawSpan
  ) throws(ModelError) -> ImageGeometry {
    do {
      return try writer.write(image, preparedBy: preparation, as: format, into: &memory)
    } catch {
      throw ModelError(.input, .image(error))
    }
  }

  /// Writes a picture for each place of a fixed batch.
  private func write(
    _ pictures: [LayerValue], into memory: inout MutableRawSpan
  ) throws(ModelError) {
    let length = memory.byteCount / pictures.count
    for (index, value) in pictures.enumerated() {
      guard case .image(let picture) = value else {
        throw mismatch("a list with \(value.kindDescription)")
      }
      let range = index * length..<(index + 1) * length
      _ = try memory.withSubrange(range) { (part) throws(ModelError) in
        try write(picture, into: &part)
      }
    }
  }

  /// How many pictures the tensor holds: more than one where its batch is fixed.
  private var imageCount: Int {
    let pixels = preparation.width * preparation.height
    return numbers.elementCount / (pixels * format.bytesPerPixel)
  }

  private func mismatch(_ found: String) -> ModelError {
    let expected = imageCount == 1 ? "a picture" : "\(imageCount) pictures"
    return ModelError(.input, .wrongType(expected: expected, actual: found))
  }
}

/// How the pixels of one channel become the elements of a tensor.
struct ChannelNormalization: Sendable, Hashable {
  let scale: Float
  let bias: Float

  /// The number for a pixel.
  @inline(__always)
  func callAsFunction(_ pixel: UInt8) -> Float { Float(pixel) * scale + bias }

  /// The codes of a layer's channels, in the order of its format.
  static func channels(of normalization: Normalization?, in format: PixelFormat) -> [ChannelNormalization] {
    let colors = Self.colors(of: normalization)
    return switch format {
    case .bgr, .bgra: [colors.blue, colors.green, colors.red]
    case .gray: [colors.red]
    case .rgb, .rgba, .argb: [colors.red, colors.green, colors.blue]
    }
  }

  private static func colors(
    of normalization: Normalization?
  ) -> (red: ChannelNormalization, green: ChannelNormalization, blue: ChannelNormalization) {
    let scale = normalization?.scale ?? ColorTriple(repeating: 1)
    let bias = normalization?.bias ?? ColorTriple(repeating: 0)
    return (
      ChannelNormalization(scale: scale.red, bias: bias.red), ChannelNormalization(scale: scale.green, bias: bias.green),
      ChannelNormalization(scale: scale.blue, bias: bias.blue)
    )
  }
}

extension [ChannelNormalization] {
  /// The elements for all 256 pixel values of every channel, one channel after the other.
  func lookupTable<Stored>(_ stored: (Float) -> Stored) -> [Stored] {
    flatMap { code in (0...255).map { stored(code(UInt8($0))) } }
  }
}

/// Where the elements of a picture lie in a tensor.
struct PixelStrides: Sendable, Hashable {
  let width: Int
  let height: Int
  let channels: Int
  private let isPlanar: Bool

  /// The places of a picture in a layout.
  init(width: Int, height: Int, channels: Int, _ layout: ImageLayout) {
    self.width = width
    self.height = height
    self.channels = channels
    isPlanar = layout == .channelsFirst
  }

  /// How many elements the picture has.
  var count: Int { width * height * channels }

  /// Where a channel of a row begins.
  func offset(row: Int, channel: Int) -> Int {
    isPlanar ? (channel * height + row) * width : row * width * channels + channel
  }

  /// How far it is from a pixel of a channel to the next.
  var pixelStride: Int { isPlanar ? 1 : channels }
}
