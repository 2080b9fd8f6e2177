public import TensorIOCore

/// What is printed, sent and drawn of a model's outputs.
@nonexhaustive
public enum TaskPresentation: Sendable {
  /// The outputs themselves.
  case outputs
  /// A result, in place of the outputs with these names.
  case result(any TaskResult, replacing: Set<String>)
  /// A value, named `key`, in place of an output, and a result beside it.
  case value(key: String, LayerValue, replacing: String, result: (any TaskResult)? = nil)
}
