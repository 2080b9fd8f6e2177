import TensorIOImage
import TensorIOTestSupport

@testable import TensorIOBundle
@testable import TensorIOCore

/// A layer and its tensor, with an encoder and decoder but no runtime in between.
struct LayerRoundTrip {
  var layer: Layer
  var tensor: TensorInfo
  var labels: [String] = []
  var orientation: ImageOrientation?

  init(_ layer: Layer, over tensor: TensorInfo) {
    self.layer = layer
    self.tensor = tensor
  }

  /// An array layer with a name that errors should contain.
  static func array(
    _ shape: TensorShape, over type: ElementType, tensorShape: TensorShape? = nil,
    quantize: Quantization? = nil, dequantize: Quantization? = nil,
    quantization: TensorQuantization? = nil
  ) -> LayerRoundTrip {
    LayerRoundTrip(
      Layer(
        name: "layer",
        kind: .array(NumericLayer(shape: shape, quantize: quantize, dequantize: dequantize))),
      over: TensorInfo(
        name: "tensor", elementType: type, shape: tensorShape ?? shape, quantization: quantization))
  }

  /// An image layer of a format.
  static func image(
    _ width: Int, _ height: Int, _ format: PixelFormat = .rgb, over type: ElementType,
    layout: ImageLayout = .channelsLast, normalize: Normalization? = nil,
    denormalize: Normalization? = nil,
    quantization: TensorQuantization? = nil
  ) -> LayerRoundTrip {
    let channels = format.bytesPerPixel
    let shape = TensorShape(
      layout == .channelsFirst ? [channels, height, width] : [height, width, channels])
    return LayerRoundTrip(
      Layer(
        name: "layer",
        kind: .image(
          ImageLayer(
            shape: shape, height: height, width: width, format: format, layout: layout,
            normalize: normalize, denormalize: denormalize))),
      over: TensorInfo(
        name: "tensor", elementType: type, shape: shape, quantization: quantization))
  }

  /// Encodes a value to bytes.
  func encoded(_ value: LayerValue) throws(ModelError) -> [UInt8] {
    let encoder = InputEncoder(
      [layer], tensors: [tensor], decoding: DecodingOptions(orientation: orientation))
    let session = try FakeModel.identity(tensor).makeSession(SessionOptions())
    _ = try encoder.encode(try encoder.match(.value(value)), into: session)
    try session.invoke()
    return try session.bytes()
  }

  /// The error of encoding an invalid value.
  func encodingError(of value: LayerValue) -> ModelError? {
    do throws(ModelError) {
      _ = try encoded(value)
      return nil
    } catch {
      return error
    }
  }

  /// Decodes bytes to a value.
  func decoded(_ bytes: [UInt8], shape: [Int]? = nil) throws(ModelError) -> LayerValue {
    let decoder = OutputDecoder([layer], tensors: [tensor], labels: [OutputLabels(labels)])
    var model = FakeModel(inputs: [], outputs: [tensor]) { _ in [bytes] }
    model.outputShapes = shape.map { [$0] }
    let session = try model.makeSession(SessionOptions())
    try session.invoke()
    return try decoder.decode(session)[0].value
  }
}
