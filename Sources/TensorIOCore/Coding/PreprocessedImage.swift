public import TensorIOBundle
public import TensorIOImage

/// A picture as a model sees it: the elements that a run writes into the tensor.
public struct PreprocessedImage: Sendable {
  /// The layer that takes the picture.
  public let layer: Layer
  /// What the layer says of the picture, with what the caller wants otherwise.
  public let imageLayer: ImageLayer
  /// The type of the tensor's elements.
  public let elementType: ElementType
  /// How the picture was fitted; `nil` where numbers were given that are prepared already.
  public let geometry: ImageGeometry?
  /// The elements of each channel, row by row, in the order of the layer's format.
  public let channels: [[Float]]
  /// The elements mapped back to pixels, from 0 to 255, channel by channel.
  public let pixels: [[UInt8]]

  /// The names of the channels, in the order of the layer's format.
  public var channelNames: [String] {
    switch imageLayer.format {
    case .gray: ["gray"]
    case .bgr, .bgra: ["blue", "green", "red"]
    case .rgb, .rgba, .argb: ["red", "green", "blue"]
    }
  }

  /// The picture in colours, or in gray where the layer is.
  public func image() throws(ImageError) -> ImageBuffer {
    var interleaved: [UInt8] = []
    interleaved.reserveCapacity(pixels.count * (pixels.first?.count ?? 0))
    for place in pixels.first?.indices ?? 0..<0 {
      for channel in pixels { interleaved.append(channel[place]) }
    }
    return try ImageBuffer(
      width: imageLayer.width, height: imageLayer.height, format: imageLayer.format, pixels: interleaved)
  }

  /// One channel as a gray picture.
  public func image(ofChannel index: Int) throws(ImageError) -> ImageBuffer {
    try ImageBuffer(
      width: imageLayer.width, height: imageLayer.height, format: .gray, pixels: pixels[index])
  }
}

extension Model {
  /// What the model sees of the pictures of an input: those elements that a run writes.
  ///
  /// The input is prepared anew for it, in memory of its own; runs know nothing of it. Inputs that
  /// take no pictures are left out, and so is a fixed batch of several pictures.
  public func preprocessedImages(for input: ModelInput) throws(ModelError) -> [PreprocessedImage] {
    guard let pipeline, let signature else { return [] }
    let (matched, _) = try pipeline.placeholders.split(input, [:])
    let values = try pipeline.encoder.match(matched)
    var seen: [PreprocessedImage] = []
    for (index, encoder) in pipeline.encoder.layers.enumerated() {
      guard case .image(let image) = inputs[index].kind else { continue }
      if let picture = try encoder.preprocessed(
        values[index], inputs[index], image, signature.inputs[index])
      {
        seen.append(picture)
      }
    }
    return seen
  }
}

extension LayerEncoder {
  /// What is written of a value; `nil` where it is more than one picture.
  fileprivate func preprocessed(
    _ value: LayerValue, _ layer: Layer, _ image: ImageLayer, _ tensor: TensorInfo
  ) throws(ModelError) -> PreprocessedImage? {
    let places = PixelStrides(
      width: image.width, height: image.height, channels: image.format.bytesPerPixel,
      image.layout)
    guard places.count == elementCount else { return nil }
    var memory = [UInt8](repeating: 0, count: byteCount)
    let geometry = try memory.withMutableRawSpan { (bytes) throws(ModelError) in
      try encode(value, into: &bytes, row: 0)
    }
    let elements = memory.numbers(of: tensor.elementType)
    let channels = (0..<places.channels).map { elements.channel($0, places) }
    let codes = ChannelNormalization.channels(of: image.normalize, in: image.format)
    let stored = QuantizationTransform.pixels(isNormalized: image.normalize != nil, in: tensor)
    let pixels = zip(channels, codes).map { channel, code in
      channel.map { code.denormalized( stored.dequantize($0)) }
    }
    return PreprocessedImage(
      layer: layer, imageLayer: image, elementType: tensor.elementType, geometry: geometry,
      channels: channels, pixels: pixels)
  }
}

extension ChannelNormalization {
  /// The pixel that a number stands for, or the nearest.
  fileprivate func denormalized(_ number: Float) -> UInt8 {
    let pixel = ((number - bias) / scale).rounded()
    return pixel.isNaN ? 0 : UInt8(min(max(pixel, 0), 255))
  }
}

extension [Float] {
  /// The elements of a channel, row by row.
  fileprivate func channel(_ channel: Int, _ places: PixelStrides) -> [Float] {
    (0..<places.height).flatMap { row in
      let start = places.offset(row: row, channel: channel)
      return (0..<places.width).map { self[start + $0 * places.pixelStride] }
    }
  }
}

extension [UInt8] {
  /// The elements of a tensor as numbers.
  fileprivate func numbers(of type: ElementType) -> [Float] {
    switch type {
    case .uint8, .bool: map(Float.init)
    case .int8: map { Float(Int8(bitPattern: $0)) }
    case .float16: elements(of: UInt16.self).map(HalfFloat.value(of:))
    case .float64: elements(of: Double.self).map(Float.init)
    case .int16: elements(of: Int16.self).map(Float.init)
    case .int32: elements(of: Int32.self).map(Float.init)
    case .int64: elements(of: Int64.self).map(Float.init)
    case .float32, .string: elements(of: Float.self)
    }
  }
}
