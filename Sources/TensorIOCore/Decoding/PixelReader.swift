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
    let count = layer.width * layer.height * codes.count
    let numbers = Numbers(elements(memory, count)).floats
    var pixels = [UInt8](repeating: 0, count: count)
    for (channel, code) in codes.enumerated() {
      for index in stride(from: channel, to: count, by: codes.count) {
        pixels[index] = UInt8(storing: code.denormalize(stored.decode(numbers[index])))
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
