import TensorIOBundle

extension Model {
  /// The names of the inputs whose tensors hold strings.
  ///
  /// An `array` layer without `dtype` can be declared for such a tensor, so that the description
  /// alone does not tell text from numbers.
  package var textInputs: Set<String> {
    Set((pipeline?.encoder.layers ?? []).filter(\.holdsText).map(\.name))
  }
}

extension LayerEncoder {
  /// Whether the tensor holds strings.
  fileprivate var holdsText: Bool { if case .strings = kind { true } else { false } }
}
