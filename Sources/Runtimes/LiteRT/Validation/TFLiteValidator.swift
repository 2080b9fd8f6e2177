import TensorIOBundle

/// Validates a `.tflite` file before it is passed to the runtime.
///
/// LiteRT verifies the offsets of a file but not the values. The validator checks the values in
/// tables; it does not read constant data, so it takes little time.
enum TFLiteValidator {
  /// Throws if LiteRT would crash, hang or exhaust the memory; returns the fields that declare
  /// state.
  static func validate(_ bytes: ModelBytes) throws(ModelError) -> StateFields {
    StateFields(try validatedModel(bytes))
  }

  /// Returns the model if LiteRT would not crash, hang or exhaust the memory.
  static func validatedModel(_ bytes: ModelBytes) throws(ModelError) -> ParsedModel {
    do throws(ModelValidationError) {
      return try validateRules(bytes)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.message))
    }
  }

  /// Validates the model and throws an error with the violated rule.
  @discardableResult
  static func validateRules(_ bytes: ModelBytes) throws(ModelValidationError) -> ParsedModel {
    let model = try ParsedModel(bytes)
    try model.validate()
    let ranges = StateFields(model).byteRanges
    if !ranges.isEmpty {
      // In a damaged file the bytes of a field may be part of something else as well.
      try bytes.withZeros(at: ranges) { () throws(ModelValidationError) in
        let hidden = try ParsedModel(bytes).withVariables(of: model)
        try require(hidden != nil, .bounds, "the file's tables overlap")
        try hidden?.validate()
      }
    }
    return model
  }
}

extension ParsedModel {
  /// Throws an error if a rule is violated.
  fileprivate func validate() throws(ModelValidationError) {
    try requireDataInBounds()
    try requireValidMetadata()
    for (index, subgraph) in subgraphs.enumerated() {
      do throws(ModelValidationError) {
        try SubgraphValidator(subgraph, of: self).validate()
      } catch {
        guard subgraphs.count > 1 else { throw error }
        throw ModelValidationError(error.rule, "subgraph \(index): \(error.message)")
      }
    }
    try requireValidStrings()
    try requireAcyclicSubgraphCalls()
    try requireValidSignatures()
    var variables = VariableValidator(self)
    try variables.validate()
    try requireTensorNames()
    try requireInferredOutputShapes()
  }
}

/// The rules that a model must satisfy.
///
/// LiteRT assumes each of them without checking and crashes or hangs otherwise.
enum ModelValidationRule: String, CaseIterable, Sendable {
  /// The file is a TensorFlow Lite model.
  case format
  /// All offsets are within the file.
  case bounds
  /// The size of the traversed structure is proportional to the file's size.
  case traversalBudget
  /// There is at least one subgraph.
  case subgraphs
  /// Dimensions are not negative, and there are no more than LiteRT supports.
  case shape
  /// A tensor's size is below the limit.
  case tensorSize
  /// The data of constants, metadata and options is within the file.
  case dataBounds
  /// All data is in this file.
  case externalBuffer
  /// A constant's byte count matches its shape.
  case constantSize
  /// The strings of a constant are within its buffer.
  case strings
  /// Inputs and outputs have names.
  case names
  /// Scales and zero points match each other and the tensor.
  case quantization
  /// Operators refer to operator codes that exist.
  case operatorCodes
  /// Operators read and write tensors that exist.
  case operands
  /// Tensors are written before they are read.
  case executionOrder
  /// A tensor is written once, and constants are never written.
  case singleAssignment
  /// The inputs and outputs of subgraphs are tensors that exist.
  case inputsAndOutputs
  /// Signatures refer to tensors and subgraphs that exist.
  case signatures
  /// Operators call subgraphs that exist, and calls are not recursive.
  case subgraphCalls
  /// Variables have a value of the expected size when they are read.
  case variables
  /// Metadata entries have names and data.
  case metadata
  /// Options that are used as divisors are positive.
  case options
  /// The declared shapes of outputs match the inferred ones.
  case outputShapes
}

/// A violated rule.
struct ModelValidationError: Error {
  let rule: ModelValidationRule
  /// A description with the values involved.
  let message: String

  init(_ rule: ModelValidationRule, _ message: String) {
    self.rule = rule
    self.message = message
  }
}

/// Throws an error for `rule` unless the condition is true.
func require(
  _ condition: Bool, _ rule: ModelValidationRule, _ message: @autoclosure () -> String
) throws(ModelValidationError) {
  guard condition else { throw ModelValidationError(rule, message()) }
}
