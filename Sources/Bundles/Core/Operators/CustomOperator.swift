public import TensorIOBundle

/// An operator of `.tflite` models that the runtime does not contain.
///
/// A model names its custom operators. Register a type for a name once, when the application starts:
///
/// ```swift
/// import TensorIO
///
/// struct Scale: CustomOperator {
///   static let name = "Scale"
///   let factor: Float
///
///   init(_ node: CustomOperatorNode) throws(ModelError) {
///     factor = Float(try node.flexOptions()["factor"]?.double ?? 1)
///   }
///
///   func outputShapes(forInputs shapes: [[Int]]) throws(ModelError) -> [[Int]] { shapes }
///
///   func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
///     let numbers = try call.elements(ofInput: 0, as: Float.self)
///     try call.write(numbers.map { $0 * factor }, toOutput: 0)
///   }
/// }
///
/// CustomOperatorRegistry.shared.register(Scale.self)
/// let model = try Model(at: "scaled.tiobundle")
/// ```
///
/// Each session has an instance of its own for every node of the model, so an operator may keep
/// scratch memory or state in its properties.
public protocol CustomOperator: Sendable {
  /// The name by which models refer to the operator.
  static var name: String { get }

  /// Creates the operator for a node of a model.
  ///
  /// - Parameter node: The options and the tensors of the node.
  /// - Throws: A ``ModelError`` if the operator does not support the node, for example
  ///   ``ModelError/unsupported``.
  init(_ node: CustomOperatorNode) throws(ModelError)

  /// Returns the shapes of the outputs.
  ///
  /// It is called before the first run, and again whenever the shape of an input changes.
  ///
  /// - Parameter shapes: The shapes of the inputs.
  /// - Returns: A shape for each output of the node.
  /// - Throws: A ``ModelError`` if the operator does not support the shapes.
  func outputShapes(forInputs shapes: [[Int]]) throws(ModelError) -> [[Int]]

  /// Computes the outputs.
  ///
  /// The outputs are zero when the operator is called.
  ///
  /// - Parameter call: The inputs and outputs.
  /// - Throws: A ``ModelError``, which ends the run.
  mutating func run(_ call: borrowing CustomOperatorCall) throws(ModelError)
}
