public import TensorIOCore

/// A bundle whose runtime ``ConformanceSuite`` checks, with samples of its inputs and outputs.
///
/// The layers of the bundle are arrays without quantization, so that values reach the runtime
/// unchanged.
public struct ConformanceModel: Sendable {
  /// An item with the outputs that the model has to return for it.
  public struct Sample: Sendable {
    /// The values of the inputs, by layer, in the element types of the model.
    public var inputs: [String: Tensor]
    /// The expected outputs, by layer, in the element types of the model.
    public var outputs: [String: Tensor]

    /// Creates a sample.
    ///
    /// - Parameters:
    ///   - inputs: The values of the inputs, by layer.
    ///   - outputs: The expected outputs, by layer.
    public init(_ inputs: [String: Tensor], outputs: [String: Tensor]) {
      self.inputs = inputs
      self.outputs = outputs
    }
  }

  /// The path of the bundle.
  public let bundlePath: String
  /// The samples.
  public let samples: [Sample]
  /// The outputs of one session that runs the samples in order without a reset; `nil` for a model
  /// without state.
  public let outputsWithState: [[String: Tensor]]?
  /// The largest accepted difference of a floating-point output, relative to the larger of the
  /// expected number and 1.
  public let tolerance: Double

  /// Creates a model for the suite.
  ///
  /// - Parameters:
  ///   - bundlePath: The path of the bundle.
  ///   - samples: Samples with different outputs: at least two, for the checks of several sessions.
  ///   - outputsWithState: For a model with state, the outputs of one session that runs the samples
  ///     in order without a reset.
  ///   - tolerance: The largest accepted relative difference of a floating-point output.
  public init(
    at bundlePath: String, samples: [Sample], outputsWithState: [[String: Tensor]]? = nil,
    tolerance: Double = 1e-6
  ) {
    self.bundlePath = bundlePath
    self.samples = samples
    self.outputsWithState = outputsWithState
    self.tolerance = tolerance
  }
}
