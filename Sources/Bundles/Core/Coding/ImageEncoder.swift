import TensorIOBundle
import TensorIOImage

/// Fits an image to an image layer and writes its pixels into the tensor.
struct ImageEncoder: Sendable {
  /// The order of the channels in the tensor.
  let format: PixelFormat
  /// How images are oriented, fitted and resampled.
  let preparation: ImagePreparation
  /// The orientation and resolution at which encoded images are decoded.
  let decoding: DecodingOptions
  /// Converts pixels to elements.
  let writer: PixelWriter
  /// Encodes numbers that have already been preprocessed.
  private(set) var numbers: NumberEncoder
  /// The size of the tensor's images, which is that of one image or of several with open sides; `nil` before it is known.
  private var frame: (width: Int, height: Int)?

  init(
    format: PixelFormat, preparation: ImagePreparation, decoding: DecodingOptions,
    writer: PixelWriter, numbers: NumberEncoder
  ) {
    (self.format, self.preparation, self.decoding) = (format, preparation, decoding)
    (self.writer, self.numbers) = (writer, numbers)
    frame = preparation.sides == nil ? (preparation.width, preparation.height) : nil
  }

  /// Returns the encoder for a tensor of another shape.
  func resized(to shape: TensorShape) -> ImageEncoder {
    var resized = self
    resized.numbers = numbers.resized(to: shape)
    let lengths = shape.signedDimensions.suffix(3)
    guard preparation.sides != nil, let first = lengths.first, let last = lengths.last else {
      return resized
    }
    let middle = lengths[lengths.startIndex + 1]
    resized.frame = writer.layout == .channelsFirst ? (last, middle) : (middle, first)
    return resized
  }

  /// Returns the lengths of the three axes of the tensor for an image, or for an image file.
  func dimensions(of value: LayerValue) throws(ModelError) -> [Int] {
    do throws(ImageError) {
      let size =
        switch value {
        case .image(let image):
          preparation.frameSize(forWidth: image.uprightWidth, height: image.uprightHeight)
        case .bytes(let bytes):
          try preparation.frameSize(forFile: bytes, orientation: decoding.orientation)
        default: preparation.frameSize(forWidth: 0, height: 0)
        }
      guard size.width > 0, size.height > 0 else { throw .init(.invalidSize(width: 0, height: 0)) }
      try ImageLimits.validate(width: size.width, height: size.height)
      let channels = format.bytesPerPixel
      return writer.layout == .channelsFirst
        ? [channels, size.height, size.width] : [size.height, size.width, channels]
    } catch {
      throw ModelError(.input, .image(error))
    }
  }

  /// Writes an image, or numbers that have already been preprocessed.
  ///
  /// - Returns: How the image was fitted; `nil` for numbers and for several images.
  func encode(
    _ value: LayerValue, into memory: inout MutableRawSpan
  ) throws(ModelError) -> ImageGeometry? {
    switch value {
    case .image(let image):
      guard imageCount == 1 else { throw mismatch("an image") }
      return try write(image, into: &memory)
    case .list(let images) where images.count == imageCount:
      try write(images, into: &memory)
    case .numbers:
      try numbers.encode(value, into: &memory)
    case .bytes, .strings, .tokens, .audio, .classification, .list:
      throw mismatch(value.kindDescription)
    }
    return nil
  }

  /// Decodes an encoded image for this encoder.
  func decode(_ bytes: [UInt8]) throws(ImageError) -> ImageBuffer {
    try preparation.decode(bytes, as: format, decoding)
  }

  private func write(
    _ image: ImageBuffer, into memory: inout MutableRawSpan
  ) throws(ModelError) -> ImageGeometry {
    do {
      let size =
        frame
        ?? preparation.frameSize(
          forWidth: image.uprightWidth, height: image.uprightHeight)
      return try writer.write(
        image, preparedBy: preparation, as: format, frame: size, into: &memory)
    } catch {
      throw ModelError(.input, .image(error))
    }
  }

  /// Writes one image for each row of a fixed batch.
  private func write(
    _ images: [LayerValue], into memory: inout MutableRawSpan
  ) throws(ModelError) {
    let length = memory.byteCount / images.count
    for (index, value) in images.enumerated() {
      guard case .image(let image) = value else {
        throw mismatch("a list with \(value.kindDescription)")
      }
      let range = index * length..<(index + 1) * length
      _ = try memory.withSubrange(range) { (part) throws(ModelError) in
        try write(image, into: &part)
      }
    }
  }

  /// The number of images in the tensor; more than one if it has a fixed batch.
  private var imageCount: Int {
    guard preparation.sides == nil else { return 1 }
    let pixels = preparation.width * preparation.height
    return numbers.elementCount / (pixels * format.bytesPerPixel)
  }

  private func mismatch(_ found: String) -> ModelError {
    let expected = imageCount == 1 ? "an image" : "\(imageCount) images"
    return ModelError(.input, .wrongType(expected: expected, actual: found))
  }
}

/// The linear conversion of the pixels of one channel to numbers.
struct ChannelNormalization: Sendable, Hashable {
  let scale: Float
  let bias: Float

  /// Returns the number for a pixel value.
  @inline(__always)
  func callAsFunction(_ pixel: UInt8) -> Float { Float(pixel) * scale + bias }

  /// Returns the conversions of a layer's channels, in the order of its pixel format.
  static func channels(
    of normalization: Normalization?, in format: PixelFormat
  ) -> [ChannelNormalization] {
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
      ChannelNormalization(scale: scale.red, bias: bias.red),
      ChannelNormalization(scale: scale.green, bias: bias.green),
      ChannelNormalization(scale: scale.blue, bias: bias.blue)
    )
  }
}

extension [ChannelNormalization] {
  /// Returns the elements for all 256 pixel values of each channel, one channel after the other.
  func lookupTable<Stored>(_ stored: (Float) -> Stored) -> [Stored] {
    flatMap { channel in (0...255).map { stored(channel(UInt8($0))) } }
  }
}

/// The positions of an image's elements in a tensor.
struct PixelStrides: Sendable, Hashable {
  let width: Int
  let height: Int
  let channels: Int
  private let isPlanar: Bool

  /// Creates the strides of an image in a layout.
  init(width: Int, height: Int, channels: Int, _ layout: ImageLayout) {
    self.width = width
    self.height = height
    self.channels = channels
    isPlanar = layout == .channelsFirst
  }

  /// The number of elements of the image.
  var count: Int { width * height * channels }

  /// Returns the offset of the first element of a channel in a row.
  func offset(row: Int, channel: Int) -> Int {
    isPlanar ? (channel * height + row) * width : row * width * channels + channel
  }

  /// The distance between two adjacent pixels of a channel.
  var pixelStride: Int { isPlanar ? 1 : channels }
}
