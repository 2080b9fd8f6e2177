/// The rules that an ONNX file must satisfy.
///
/// ONNX Runtime assumes some of them without checking, and crashes, reads other files or exhausts the
/// memory otherwise.
enum ONNXValidationRule: String, CaseIterable, Sendable {
  /// The file is an ONNX model with a graph.
  case format
  /// Dimensions of constants are not negative, and the data has the size of the shape.
  case constantSize
  /// Data in other files belongs to constants of the main graph.
  case externalData
  /// Constants are dense.
  case sparseConstants
  /// The weights of recurrent layers have the shapes that `hidden_size` requires.
  case recurrentWeights
  /// The scales of resized images are finite and positive.
  case scales
  /// Options that are used as divisors are positive.
  case options
  /// Functions do not call themselves, and few nodes do not expand to many.
  case functionCalls
}

/// A violated rule.
struct ONNXValidationError: Error, Hashable {
  let rule: ONNXValidationRule
  /// A description with the values involved.
  let message: String

  init(_ rule: ONNXValidationRule, _ message: String) {
    self.rule = rule
    self.message = message
  }
}

/// Throws an error for `rule` unless the condition is true.
func require(
  _ condition: Bool, _ rule: ONNXValidationRule, _ message: @autoclosure () -> String
) throws(ONNXValidationError) {
  guard condition else { throw ONNXValidationError(rule, message()) }
}
