extension Problem {
  /// The problem with the line and column of what its path names, or of the object that lacks it.
  package func placed(in document: JSONDocument) -> Problem {
    guard line == nil, let position = document.nearest(to: path)?.position else { return self }
    var problem = self
    (problem.line, problem.column) = (position.line, position.column)
    return problem
  }
}

extension JSONDocument {
  /// The value at a pointer, or the innermost that holds the place where it would be.
  fileprivate func nearest(to pointer: String) -> JSONNode? {
    var pointer = pointer[...]
    while true {
      if let node = node(at: String(pointer)) { return node }
      guard let slash = pointer.lastIndex(of: "/") else { return nil }
      pointer = pointer[..<slash]
    }
  }
}

extension Sequence<Problem> {
  /// Whether any of the problems keeps a bundle from being opened.
  package var hasErrors: Bool { contains { $0.severity == .error } }
}

extension ModelBundle {
  /// Problems with the lines and columns that they have in the bundle's `model.json`.
  ///
  /// The text is read again for it, since it is not kept and problems are rare.
  package func placed(_ problems: [Problem]) -> [Problem] {
    guard problems.contains(where: { $0.line == nil }), let bytes = try? folder.descriptionBytes(),
      let document = try? JSONDocument(parsing: bytes, dialect: .description)
    else { return problems }
    return problems.map { $0.placed(in: document) }
  }
}
