extension String {
  /// The text in the form NFKC, in which characters that look alike are the same.
  package var normalizedCompatibly: String { normalized(composes: true) }

  /// The text in the form NFKD, in which the marks of letters are scalars after them.
  package var decomposedCompatibly: String { normalized(composes: false) }

  private func normalized(composes: Bool) -> String {
    guard utf8.contains(where: { $0 >= 0x80 }) else { return self }
    let form = ScalarNormalization(isCompatible: true, composes: composes)
    var scalars = UnicodeScalarView()
    for value in form.normalized(unicodeScalars.map(\.value)) {
      if let scalar = Unicode.Scalar(value) { scalars.append(scalar) }
    }
    return String(scalars)
  }
}
