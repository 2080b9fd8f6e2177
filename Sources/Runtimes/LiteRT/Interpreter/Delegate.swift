public import TensorIOCore

/// Hardware that runs a model in place of the processor.
///
/// In TensorFlow Lite, a delegate has a C pointer. LiteRT selects accelerators by their kind.
public protocol Delegate: AnyObject {
  /// The kind of the hardware.
  var accelerator: Accelerator { get }
}

/// The graphics processor that LiteRT's accelerator finds.
///
/// ```swift
/// import TensorIOLiteRT
///
/// let interpreter = try Interpreter(modelPath: "model.tflite", delegates: [GPUDelegate()])
/// ```
public final class GPUDelegate: Delegate, Sendable {
  /// The kind of the hardware.
  public let accelerator = Accelerator.gpu

  /// Creates a delegate.
  public init() {}
}
