public import TensorIOBundle

/// The use of a custom operator in a model.
public struct CustomOperatorNode: Sendable {
  /// The name of the operator.
  public let name: String
  /// The options, in a format that the operator defines; a FlexBuffer by convention.
  public let options: [UInt8]
  /// The inputs as the model declares them.
  public let inputs: [TensorInfo]
  /// The outputs as the model declares them.
  public let outputs: [TensorInfo]

  /// Creates a description of a node, for example to test an operator.
  ///
  /// - Parameters:
  ///   - name: The name of the operator.
  ///   - options: The options.
  ///   - inputs: The inputs.
  ///   - outputs: The outputs.
  public init(name: String, options: [UInt8], inputs: [TensorInfo], outputs: [TensorInfo]) {
    self.name = name
    self.options = options
    self.inputs = inputs
    self.outputs = outputs
  }

  /// Returns the options as a FlexBuffer; an empty map if there are none.
  ///
  /// - Returns: The root value of the options.
  /// - Throws: ``ModelError/modelRejected`` if the options are not a FlexBuffer.
  public func flexOptions() throws(ModelError) -> FlexBufferValue {
    guard !options.isEmpty else { return FlexBufferValue() }
    guard let root = FlexBufferValue(root: options) else {
      throw ModelError(.runtime, .modelRejected(detail: "the options are not a FlexBuffer"))
    }
    return root
  }
}
