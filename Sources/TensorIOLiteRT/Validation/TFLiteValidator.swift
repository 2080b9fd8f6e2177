import TensorIOBundle

/// Looks through a model before the runtime sees it.
///
/// The runtime verifies where the parts of a file lie, but takes their numbers for granted. Here
/// they are looked at: only tables, never what lies in constants, so that it costs next to nothing.
enum TFLiteValidator {
  /// Refuses what would take the process down, or all its memory.
  static func validate(_ bytes: ModelBytes) throws(ModelError) {
    do throws(ModelValidationError) {
      try validateRules(bytes)
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: error.message))
    }
  }

  /// The same, with the rule that a model breaks.
  static func validateRules(_ bytes: ModelBytes) throws(ModelValidationError) {
    let model = try ParsedModel(bytes)
    try model.requireDataInBounds()
    try model.requireValidMetadata()
    for (index, graph) in model.subgraphs.enumerated() {
      do throws(ModelValidationError) {
        try SubgraphValidator(graph, of: model).validate()
      } catch {
        guard model.subgraphs.count > 1 else { throw error }
        throw ModelValidationError(error.rule, "in graph \(index), \(error.message)")
      }
    }
    try model.requireValidStrings()
    try model.requireAcyclicSubgraphCalls()
    try model.requireValidSignatures()
    try model.requireTensorNames()
    try model.requireInferredOutputShapes()
  }
}

/// What a model must be, to be given to the runtime.
///
/// Each is something that LiteRT takes for granted, at the price of the process.
enum ModelValidationRule: String, CaseIterable, Sendable {
  /// The file is of this format.
  case format
  /// Everything refers to places within the file.
  case bounds
  /// The walk is in proportion to the file, however its parts refer to each other.
  case traversalBudget
  /// There is a graph.
  case subgraphs
  /// A tensor's lengths are numbers of elements, of no more axes than the runtime has room for.
  case shape
  /// A tensor's bytes are fewer than anyone could want.
  case tensorSize
  /// The bytes of constants, metadata and options lie within the file.
  case dataBounds
  /// All values are in this file, and no other is opened for it.
  case externalBuffer
  /// A constant has as many bytes as its shape asks for.
  case constantSize
  /// Texts in a constant lie within it.
  case strings
  /// What callers see has a name.
  case names
  /// Scales and zero points belong to each other and to the tensor.
  case quantization
  /// Operators are of kinds that the file lists.
  case operatorCodes
  /// Operators read and write tensors that there are.
  case operands
  /// What is read was written before.
  case executionOrder
  /// What is written was not yet, and is no constant.
  case singleAssignment
  /// The graphs' inputs and outputs are tensors that there are.
  case inputsAndOutputs
  /// Signatures are about tensors and graphs that there are.
  case signatures
  /// Operators that run a graph run one that there is, and none runs itself.
  case subgraphCalls
  /// What the file says of itself has names and bytes.
  case metadata
  /// What operators divide by is not zero.
  case options
  /// Outputs have room for what is computed.
  case outputShapes
}

/// Why a model is not given to the runtime.
struct ModelValidationError: Error {
  let rule: ModelValidationRule
  /// For people, with numbers.
  let message: String

  init(_ rule: ModelValidationRule, _ text: String) {
    self.rule = rule
    self.message = text
  }
}

/// Goes on only where something holds.
func require(
  _ holds: Bool, _ rule: ModelValidationRule, _ text: @autoclosure () -> String
) throws(ModelValidationError) {
  guard holds else { throw ModelValidationError(rule, text()) }
}
