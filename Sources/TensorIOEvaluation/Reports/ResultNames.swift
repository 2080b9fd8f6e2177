extension EvaluationReport {
  /// So many letters of a name tell it from others.
  private static let tellingLetters = 24

  /// What each result is called beside the others: as short as tells them apart.
  var names: [String] {
    let ways: [(EvaluationResult) -> String] = [
      \.model.name, \.model.path.lastPart, { "\($0.model.name) \($0.model.version)" },
      { "\($0.model.name) on \($0.data.lastPart)" },
      { "\($0.model.path.lastPart) on \($0.data.lastPart)" },
    ]
    let names = ways.lazy.map { results.map($0) }
      .first {
        Set($0.map { $0.cut(to: Self.tellingLetters) }).count == $0.count && !$0.contains("")
      }
    return names ?? results.indices.map { "#\($0 + 1) \(results[$0].model.name)" }
  }

  /// The names of all figures, those of the first result first.
  func figureNames(_ figures: (EvaluationResult) -> [Figure]) -> [String] {
    var seen: Set<String> = []
    return results.flatMap(figures).map(\.name).filter { seen.insert($0).inserted }
  }
}

extension String {
  /// What stands behind the last slash of a path that does not end with it.
  var lastPart: String { split(separator: "/").last.map(String.init) ?? self }
}

extension [Figure] {
  /// The figure of a name.
  subscript(name: String) -> Figure? { first { $0.name == name } }
}
