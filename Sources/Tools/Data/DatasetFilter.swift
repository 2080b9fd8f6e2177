public import TensorIOBundle
import TensorIOSystem

/// A condition that selects items of a dataset.
///
/// ```swift
/// import TensorIOData
///
/// let images = try LabeledImages(at: "animals")
/// let filter = try DatasetFilter(parsing: ["label=cat", "set=TEST", "name~*.png"])
/// let cats = try images.filter(filter)
/// ```
///
/// `label=cat` selects items that have the label `cat`, possibly among others; `label!=cat` selects
/// items that do not. `name` and `set` are compared the same way. `~` and `!~` match a pattern in
/// which `*` stands for any characters and `?` for exactly one.
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

  /// Creates a filter from conditions that must all hold.
  ///
  /// - Throws: `ModelError` with code `invalid-filter` or `unknown-split`.
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

  /// Creates a filter from a single condition.
  public init(parsing text: String) throws(ModelError) { try self.init(parsing: [text]) }
}

// MARK: Parsing

extension DatasetFilter {
  private static func condition(_ text: String) throws(DataDiagnostic) -> Condition {
    guard let sign = text.firstIndex(where: { "!=~".contains($0) }) else {
      throw .invalidFilter(text)
    }
    let name = text[..<sign].trimmed
    guard let subject = Subject(rawValue: name) else {
      throw .unknownSubject(name, among: Subject.allCases.map(\.rawValue))
    }
    let isNegated = text[sign] == "!"
    let rest = text[sign...].dropFirst(isNegated ? 1 : 0)
    let value = rest.dropFirst().trimmed
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
    guard let split = DatasetSplit(name: value) else { throw .unknownSplit(value) }
    return .equals(split.rawValue)
  }
}

// MARK: Filtering

extension IndexedDataset {
  /// Returns the items that match a filter, in their original order.
  ///
  /// - Throws: `ModelError` with code `unknown-label` if the filter names a label that the
  ///   dataset does not have.
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
      let diagnostic = DataDiagnostic.unknownLabel(label, among: labels)
      throw ModelError(.input, .invalidData([diagnostic.diagnostic(path: condition.text)]))
    }
  }

  fileprivate func matches(_ index: Int, of items: some IndexedDataset) -> Bool {
    conditions.allSatisfy { condition in
      let texts =
        switch condition.subject {
        case .label: items.labelNames(at: index)
        case .name: [items.name(at: index)]
        case .set: [items.split(at: index) ?? .unassigned].map(\.rawValue)
        }
      return texts.contains(where: condition.comparison.holds) != condition.isNegated
    }
  }
}

extension IndexedDataset {
  /// The names of an item's labels; a class without a name, as in a mask dataset that was opened
  /// without labels, has none.
  fileprivate func labelNames(at index: Int) -> [String] {
    labelIndices(at: index).compactMap { labels.indices.contains($0) ? labels[$0] : nil }
  }
}

extension DataDiagnostic {
  static func invalidFilter(_ text: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "invalid-filter", expected: "label=cat, label!=cat, name~*.png or set=TEST",
      found: quoted(text), message: "invalid filter")
  }

  static func unknownSubject(_ name: String, among known: [String]) -> DataDiagnostic {
    DataDiagnostic(
      code: "invalid-filter", message: "unknown filter field \(quoted(name))",
      suggestion: hint(name, among: known))
  }
}

/// A glob pattern for names: `*` matches any characters, `?` exactly one.
struct GlobPattern: Sendable, Hashable {
  private let pattern: [Character]

  init(_ pattern: String) { self.pattern = Array(pattern) }

  /// Returns whether the pattern matches the entire name.
  ///
  /// - Complexity: O(*m* × *n*), because only the last `*` is ever retried.
  func matches(_ name: String) -> Bool {
    let name = Array(name)
    var (position, character) = (0, 0)
    var star: (position: Int, character: Int)?
    while character < name.count {
      if position < pattern.count, pattern[position] == "*" {
        star = (position, character)
        position += 1
      } else if position < pattern.count,
        pattern[position] == "?" || pattern[position] == name[character]
      {
        (position, character) = (position + 1, character + 1)
      } else if let last = star {
        star = (last.position, last.character + 1)
        (position, character) = (last.position + 1, last.character + 1)
      } else {
        return false
      }
    }
    return pattern[position...].allSatisfy { $0 == "*" }
  }
}
