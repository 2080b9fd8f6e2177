/// What a model must be, to be given to the runtime.
///
/// Each is something that LiteRT takes for granted, at the price of the process.
enum ModelRule: String, CaseIterable, Sendable {
  /// The file is of this format.
  case format
  /// Everything refers to places within the file.
  case structure
  /// The walk is in proportion to the file, however its parts refer to each other.
  case effort
  /// There is a graph.
  case graphs
  /// A tensor's lengths are numbers of elements, of no more axes than the runtime has room for.
  case shape
  /// A tensor's bytes are fewer than anyone could want.
  case size
  /// The bytes of constants, metadata and options lie within the file.
  case data
  /// All values are in this file, and no other is opened for it.
  case elsewhere
  /// A constant has as many bytes as its shape asks for.
  case constant
  /// Texts in a constant lie within it.
  case texts
  /// What callers see has a name.
  case names
  /// Scales and zero points belong to each other and to the tensor.
  case quantization
  /// Operators are of kinds that the file lists.
  case kinds
  /// Operators read and write tensors that there are.
  case operands
  /// What is read was written before.
  case order
  /// What is written was not yet, and is no constant.
  case writing
  /// The graphs' inputs and outputs are tensors that there are.
  case ends
  /// Signatures are about tensors and graphs that there are.
  case signatures
  /// Operators that run a graph run one that there is, and none runs itself.
  case calls
  /// What the file says of itself has names and bytes.
  case metadata
  /// What operators divide by is not zero.
  case options
  /// Outputs have room for what is computed.
  case computed
}

/// Why a model is not given to the runtime.
struct ModelProblem: Error {
  let rule: ModelRule
  /// For people, with numbers.
  let text: String

  init(_ rule: ModelRule, _ text: String) {
    self.rule = rule
    self.text = text
  }
}

/// Goes on only where something holds.
func require(
  _ holds: Bool, _ rule: ModelRule, _ text: @autoclosure () -> String
) throws(ModelProblem) {
  guard holds else { throw ModelProblem(rule, text()) }
}
