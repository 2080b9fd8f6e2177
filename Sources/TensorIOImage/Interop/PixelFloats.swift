internal import CPixelKernels

/// How the bytes of pixels become floats: each times the scale of its channel, plus its bias.
package struct PixelFloats: Sendable {
  /// How many channels are told apart.
  package let channels: Int
  // Repeated to a period, which begins with those of each channel.
  private let scales: [Float]
  private let biases: [Float]

  /// A way by the scale and bias of each channel, of which there are 1, 3 or 4.
  package init(scales: [Float], biases: [Float]) {
    precondition([1, 3, 4].contains(scales.count) && scales.count == biases.count)
    channels = scales.count
    (self.scales, self.biases) = (Self.period(of: scales), Self.period(of: biases))
  }

  private static func period(of values: [Float]) -> [Float] {
    (0..<PIXELS_PERIOD).map { values[$0 % values.count] }
  }

  /// Writes pixels whose channels stay together.
  ///
  /// The corresponding function is `pixels_floats`.
  package func write(
    _ pixels: UnsafeBufferPointer<UInt8>, to target: UnsafeMutablePointer<Float>
  ) {
    guard let source = pixels.baseAddress else { return }
    unsafe pixels_floats(
      PixelKernels.form, source, pixels.count, scales, biases, target)
  }

  /// Writes each channel of pixels into a plane of its own, all so many elements apart.
  ///
  /// The corresponding function is `pixels_planes`.
  package func write(
    _ pixels: UnsafeBufferPointer<UInt8>, toPlanes target: UnsafeMutablePointer<Float>, apart: Int
  ) {
    guard let source = pixels.baseAddress else { return }
    unsafe pixels_planes(
      PixelKernels.form, source, Int32(pixels.count / channels), Int32(channels), scales, biases,
      target, apart)
  }
}
