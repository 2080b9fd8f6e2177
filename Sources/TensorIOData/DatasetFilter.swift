public import TensorIOBundle

/// Which items are wanted.
///
/// ```swift
/// let cats = try data.filter(DatasetFilter(parsing: ["label=cat", "set=TEST", "name~*.png"]))
/// ```
///
/// `label=cat` means items that have the label, among others perhaps, `label!=cat` those that do not.
/// `name` and `set` are compared likewise; `~` and `!~` compare with a pattern in which `*` stands for
/// any letters and `?` for one.
public struct DatasetFilter: Sendable, Hashable {
  private let conditions: [Condition]

  private struct Condition: Sendable, Hashable {
    let text: String
    let subject: Subject
    let isNegated: Bool
    let comparison: Comparison
  }

  private enum Subject: String, Sendable, CaseIterable { case label, name, set }

  private enum Comparison: Sendable, Hashable {
    case equals(String)
    case matches(GlobPattern)

    func holds(for text: String) -> Bool {
      switch self {
      case .equals(let value): value == text
      case .matches(let pattern): pattern.matches(text)
      }
    }
  }

  /// A filter of conditions all of which must hold.
  public init(parsing texts: [String]) throws(ModelError) {
    var conditions: [Condition] = []
    for text in texts {
      do throws(DataDiagnostic) {
        conditions.append(try Self.condition(text))
      } catch {
        throw ModelError(.input, .invalidData([error.diagnostic(path: text)]))
      }
    }
    self.conditions = conditions
  }

  /// A filter of a single condition.
  public init(parsing text: String) throws(ModelError) { try self.init(parsing: [text]) }
}

// MARK: Parsing

extension DatasetFilter {
  private static func condition(_ text: String) throws(DataDiagnostic) -> Condition {
    guard let sign = text.firstIndex(where: { "!=~".contains($0) }) else {
      throw .invalidFilter(text)
    }
    let name = String(text[..<sign]).trimmed
    guard let subject = Subject(rawValue: name) else {
      throw .unknownSubject(name, among: Subject.allCases.map(\.rawValue))
    }
    let isNegated = text[sign] == "!"
    let rest = text[sign...].dropFirst(isNegated ? 1 : 0)
    let value = String(rest.dropFirst()).trimmed
    guard let kind = rest.first, "=~".contains(kind), !value.isEmpty else {
      throw .invalidFilter(text)
    }
    return Condition(
      text: text, subject: subject, isNegated: isNegated,
      comparison: try comparison(kind, value, subject))
  }

  private static func comparison(
    _ kind: Character, _ value: String, _ subject: Subject
  ) throws(DataDiagnostic) -> Comparison {
    if kind == "~" { return .matches(GlobPattern(value)) }
    guard subject == .set else { return .equals(value) }
    guard let part = DatasetSplit(name: value) else { throw .unknownSplit(value) }
    return .equals(part.rawValue)
  }
}

// MARK: Filtering

extension IndexedDataset {
  /// The items that a filter wants, in their order.
  ///
  /// A label that the data does not have is an error.
  public func filter(_ filter: DatasetFilter) throws(ModelError) -> Self {
    try filter.check(labels: labels)
    return selecting((0..<count).filter { filter.matches($0, of: self) })
  }
}

extension DatasetFilter {
  fileprivate func check(labels: [String]) throws(ModelError) {
    for condition in conditions {
      guard condition.subject == .label, case .equals(let label) = condition.comparison,
        !labels.contains(label)
      else { continue }
      let fault = DataDiagnostic.unknownLabel(label, among: labels)
      throw ModelError(.input, .invalidData([fault.diagnostic(path: condition.text)]))
    }
  }

  fileprivate func matches(_ index: Int, of items: some IndexedDataset) -> Bool {
    conditions.allSatisfy { condition in
      let texts =
        switch condition.subject {
        case .label: items.labelIndices(at: index).map { items.labels[$0] }
        case .name: [items.name(at: index)]
        case .set: [items.split(at: index) ?? .unassigned].map(\.rawValue)
        }
      return texts.contains(where: condition.comparison.holds) != condition.isNegated
    }
  }
}

extension DataDiagnostic {
  static func invalidFilter(_ text: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "invalid-filter", expected: "label=cat, label!=cat, name~*.png or set=TEST",
      found: quoted(text), message: "This is no filter.")
  }

  static func unknownSubject(_ name: String, among known: [String]) -> DataDiagnostic {
    DataDiagnostic(
      code: "invalid-filter", message: "Items have no \(quoted(name)) to be chosen by.",
      suggestion: hint(name, among: known))
  }
}

/// A pattern for names: `*` stands for any letters, `?` for one.
struct GlobPattern: Sendable, Hashable {
  private let pattern: [Character]

  init(_ pattern: String) { self.pattern = Array(pattern) }

  /// Whether a name is as the pattern says, from its beginning to its end.
  ///
  /// Only the last star is ever tried again, so that no pattern costs more than the product of the
  /// lengths.
  func matches(_ name: String) -> Bool {
    let name = Array(name)
    var (place, letter) = (0, 0)
    var star: (place: Int, letter: Int)?
    while letter < name.count {
      if place < pattern.count, pattern[place] == "*" {
        star = (place, letter)
        place += 1
      } else if place < pattern.count, pattern[place] == "?" || pattern[place] == name[letter] {
        (place, letter) = (place + 1, letter + 1)
      } else if let last = star {
        star = (last.place, last.letter + 1)
        (place, letter) = (last.place + 1, last.letter + 1)
      } else {
        return false
      }
    }
    return pattern[place...].allSatisfy { $0 == "*" }
  }
}
