internal import TensorIOImage

/// Makes a picture of the numbers of an image output.
struct PixelReader: Sendable {
  private let layer: ImageLayer
  private let codes: [PixelCode]
  private let stored: StorageCode

  /// A reader for a layer whose description fits its tensor.
  init(_ layer: ImageLayer, tensor: TensorInfo) {
    self.layer = layer
    codes = PixelCode.channels(of: layer.denormalize, in: layer.format)
    stored = .pixels(normalized: layer.denormalize != nil, in: tensor)
  }

  /// Reads a picture, in the layer's own order of channels.
  func read(
    _ memory: RawSpan, _ elements: (RawSpan, Int) -> Numbers.Elements
  ) throws(ImageError) -> ImageBuffer {
    let places = PixelPlaces(
      width: layer.width, height: layer.height, channels: codes.count, layer.layout)
    let numbers = Numbers(elements(memory, places.count)).floats
    var pixels = [UInt8](repeating: 0, count: places.count)
    for row in 0..<layer.height {
      for (channel, code) in codes.enumerated() {
        var place = places.start(of: row, channel)
        for column in 0..<layer.width {
          let index = (row * layer.width + column) * codes.count + channel
          pixels[index] = UInt8(storing: code.denormalize(stored.decode(numbers[place])))
          place += places.step
        }
      }
    }
    return try ImageBuffer(
      width: layer.width, height: layer.height, format: layer.format, pixels: pixels)
  }
}

extension PixelCode {
  /// The pixel for a number, before rounding.
  @inline(__always)
  fileprivate func denormalize(_ number: Float) -> Float { (number + bias) * scale }
}
