extension Layer {
  /// Whether the layer takes or gives pictures.
  package var isPicture: Bool { if case .image = kind { true } else { false } }

  /// Whether the layer takes or gives numbers.
  package var isNumeric: Bool {
    switch kind {
    case .array, .scalar: true
    case .image, .string: false
    }
  }
}
