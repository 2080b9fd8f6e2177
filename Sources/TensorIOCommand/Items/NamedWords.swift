internal import TensorIOCore

/// Words of the form `name=value`, of which at least one bears the name of a declared input, or
/// which can be nothing else: no number or list has a name before it.
struct NamedWords: Sendable {
  /// The words as the user wrote them.
  let text: String
  private let values: [String: String]
  /// What stands where a declared name should.
  private let unexpected: [String]

  /// The words by name; `nil` when they are values without names.
  init?(_ words: [String], _ layers: [Layer]) throws(CommandFailure) {
    var values: [String: String] = [:]
    var unexpected: [String] = []
    for word in words {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = String(parts[0])
      if parts.count == 2, layers.contains(where: { $0.name == name }) {
        guard values.updateValue(String(parts[1]), forKey: name) == nil else {
          throw .usage("'\(name)' is given twice")
        }
      } else {
        unexpected.append(name)
      }
    }
    let isMisnamed = layers.allSatisfy(\.isNumeric) && words.allSatisfy(\.looksNamed)
    guard !values.isEmpty || isMisnamed else { return nil }
    text = words.joined(separator: " ")
    self.values = values
    self.unexpected = unexpected
  }

  /// The text behind a name.
  subscript(name: String) -> String? { values[name] }

  /// Throws unless every declared input is named, and nothing else.
  func check(against layers: [Layer]) throws(ModelError) {
    let declared = layers.map(\.name)
    let missing = declared.filter { values[$0] == nil }
    guard missing.isEmpty, unexpected.isEmpty else {
      throw ModelError(
        .input, .inputNames(missing: missing, unexpected: unexpected, declared: declared))
    }
  }
}

extension String {
  fileprivate var looksNamed: Bool {
    guard let equals = firstIndex(of: "="), let first, first.isLetter || first == "_" else {
      return false
    }
    return self[..<equals].allSatisfy { $0.isLetter || $0.isNumber || "_-./ ".contains($0) }
  }
}
