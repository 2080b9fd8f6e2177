import TensorIOCore

/// The custom operators that TensorIO contains.
enum BuiltInCustomOperators {
  /// The operators, which worker processes have as well.
  static let all: [any CustomOperator.Type] = [
    PosenetDecoder.self, ReluGradient.self, Relu6Gradient.self, ConvolutionFilterGradient.self,
    ConvolutionInputGradient.self, MaxPoolGradient.self, AveragePoolGradient.self,
    BatchNormalization.self, BatchNormalizationGradient.self,
  ]

  /// The operators by name.
  static let byName: [String: any CustomOperator.Type] = Dictionary(
    all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })

  /// The custom operators that LiteRT contains.
  static let runtimeOperators: Set = [
    "AudioSpectrogram", "Convolution2DTransposeBias", "MaxPoolingWithArgmax2D", "MaxUnpooling2D",
    "Mfcc", "NumericVerify", "TFLite_Detection_PostProcess",
  ]

  /// The version of all custom operators, with which operators in Swift are registered too.
  static let version = 1
}
