package import TensorIOBundle
package import TensorIOImage

/// An image as a model receives it: the elements that a run writes into the tensor.
///
///     for image in try model.preprocessedImages(for: input) {
///       try image.image().write(to: "\(image.layer.name).png")
///     }
package struct PreprocessedImage: Sendable {
  /// The layer that takes the image.
  package let layer: Layer
  /// The layer's image settings, with the caller's overrides applied.
  package let imageLayer: ImageLayer
  /// The type of the tensor's elements.
  package let elementType: ElementType
  /// How the image was fitted; `nil` for numbers that had already been preprocessed.
  package let geometry: ImageGeometry?
  /// The elements of each channel, row by row, in the order of the layer's pixel format.
  package let channels: [[Float]]
  /// The elements converted back to pixel values from 0 to 255, by channel.
  package let pixels: [[UInt8]]

  /// The names of the channels, in the order of the layer's pixel format.
  package var channelNames: [String] {
    switch imageLayer.format {
    case .gray: ["gray"]
    case .bgr, .bgra: ["blue", "green", "red"]
    case .rgb, .rgba, .argb: ["red", "green", "blue"]
    }
  }

  /// Returns the preprocessed image in the layer's pixel format.
  package func image() throws(ImageError) -> ImageBuffer {
    var interleaved: [UInt8] = []
    interleaved.reserveCapacity(pixels.count * (pixels.first?.count ?? 0))
    for index in pixels.first?.indices ?? 0..<0 {
      for channel in pixels { interleaved.append(channel[index]) }
    }
    return try ImageBuffer(
      width: imageLayer.width, height: imageLayer.height, format: imageLayer.format,
      pixels: interleaved)
  }

  /// Returns one channel as a gray image.
  package func image(ofChannel index: Int) throws(ImageError) -> ImageBuffer {
    try ImageBuffer(
      width: imageLayer.width, height: imageLayer.height, format: .gray, pixels: pixels[index])
  }
}

extension Model {
  /// Returns the images of an input as the model receives them.
  ///
  /// The input is preprocessed again in separate memory; runs are not affected. Inputs that do not
  /// take an image are omitted, as are fixed batches of several images.
  ///
  /// - Parameter input: The input, as for ``run(_:placeholders:)-(ModelInput,_)``.
  /// - Returns: The preprocessed images, in the order of the inputs.
  /// - Throws: A ``ModelError`` of the stage `input` if a value does not fit its input.
  package func preprocessedImages(for input: ModelInput) throws(ModelError) -> [PreprocessedImage] {
    guard let pipeline, let signature else { return [] }
    let (matched, _) = try pipeline.placeholders.split(input, [:])
    let values = try pipeline.encoder.match(matched)
    var images: [PreprocessedImage] = []
    for (index, encoder) in pipeline.encoder.layers.enumerated() {
      guard case .image(let image) = inputs[index].kind else { continue }
      let fitted = try encoder.fitted(to: values[index])
      if let preprocessed = try fitted.preprocessed(
        values[index], inputs[index], image.sized(to: fitted.shape), signature.inputs[index])
      {
        images.append(preprocessed)
      }
    }
    return images
  }
}

extension LayerEncoder {
  /// Returns the elements that a run writes for a value; `nil` if the tensor holds several images.
  fileprivate func preprocessed(
    _ value: LayerValue, _ layer: Layer, _ image: ImageLayer, _ tensor: TensorInfo
  ) throws(ModelError) -> PreprocessedImage? {
    let strides = PixelStrides(
      width: image.width, height: image.height, channels: image.format.bytesPerPixel,
      image.layout)
    guard strides.count == elementCount else { return nil }
    var memory = [UInt8](repeating: 0, count: byteCount)
    let geometry = try memory.withMutableRawSpan { (bytes) throws(ModelError) in
      try encode(value, into: &bytes, row: 0)
    }
    let elements = TensorStorage(memory, tensor.elementType).floats
    let channels = (0..<strides.channels).map { elements.channel($0, strides) }
    let normalizations = ChannelNormalization.channels(of: image.normalize, in: image.format)
    let stored = QuantizationTransform.pixels(isNormalized: image.normalize != nil, in: tensor)
    let pixels = zip(channels, normalizations).map { channel, normalization in
      channel.map { normalization.denormalized(stored.dequantize($0)) }
    }
    return PreprocessedImage(
      layer: layer, imageLayer: image, elementType: tensor.elementType, geometry: geometry,
      channels: channels, pixels: pixels)
  }
}

extension ImageLayer {
  /// Returns the layer with the sides of a tensor.
  fileprivate func sized(to shape: [Int]) -> ImageLayer {
    let lengths = Array(shape.suffix(3))
    guard sides != nil, lengths.count == 3 else { return self }
    var layer = self
    (layer.height, layer.width) =
      layout == .channelsFirst ? (lengths[1], lengths[2]) : (lengths[0], lengths[1])
    return layer
  }
}

extension ChannelNormalization {
  /// Returns the pixel value nearest to a number.
  fileprivate func denormalized(_ number: Float) -> UInt8 {
    let pixel = ((number - bias) / scale).rounded()
    return pixel.isNaN ? 0 : UInt8(min(max(pixel, 0), 255))
  }
}

extension [Float] {
  /// Returns the elements of a channel, row by row.
  fileprivate func channel(_ channel: Int, _ strides: PixelStrides) -> [Float] {
    (0..<strides.height).flatMap { row in
      let start = strides.offset(row: row, channel: channel)
      return (0..<strides.width).map { self[start + $0 * strides.pixelStride] }
    }
  }
}
