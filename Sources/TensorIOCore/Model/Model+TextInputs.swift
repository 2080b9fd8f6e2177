import TensorIOBundle

extension Model {
  /// The names of the inputs whose tensors hold strings.
  ///
  /// The description alone does not determine them: an `array` layer without `dtype` can be
  /// declared for a tensor of strings.
  package var textInputs: Set<String> {
    Set((pipeline?.encoder.layers ?? []).filter(\.holdsText).map(\.name))
  }
}

extension LayerEncoder {
  /// Whether the tensor holds strings.
  fileprivate var holdsText: Bool { if case .strings = kind { true } else { false } }
}
