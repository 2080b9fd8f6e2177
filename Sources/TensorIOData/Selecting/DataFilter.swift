public import TensorIOCore

/// Which items are wanted.
///
/// ```swift
/// let cats = try data.filter(DataFilter(parsing: ["label=cat", "set=TEST", "name~*.png"]))
/// ```
///
/// `label=cat` means items that have the label, among others perhaps, `label!=cat` those that do not.
/// `name` and `set` are compared likewise; `~` and `!~` compare with a pattern in which `*` stands for
/// any letters and `?` for one.
public struct DataFilter: Sendable, Hashable {
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
    case matches(Wildcard)

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
      do throws(DataFault) {
        conditions.append(try Self.condition(text))
      } catch {
        throw ModelError(.input, .invalidData([error.at(path: text)]))
      }
    }
    self.conditions = conditions
  }

  /// A filter of a single condition.
  public init(parsing text: String) throws(ModelError) { try self.init(parsing: [text]) }
}

// MARK: Parsing

extension DataFilter {
  private static func condition(_ text: String) throws(DataFault) -> Condition {
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
  ) throws(DataFault) -> Comparison {
    if kind == "~" { return .matches(Wildcard(value)) }
    guard subject == .set else { return .equals(value) }
    guard let part = DataPart(name: value) else { throw .unknownPart(value) }
    return .equals(part.rawValue)
  }
}

// MARK: Filtering

extension DataItems {
  /// The items that a filter wants, in their order.
  ///
  /// A label that the data does not have is an error.
  public func filter(_ filter: DataFilter) throws(ModelError) -> Self {
    try filter.check(labels: labels)
    return selecting((0..<count).filter { filter.wants($0, of: self) })
  }
}

extension DataFilter {
  fileprivate func check(labels: [String]) throws(ModelError) {
    for condition in conditions {
      guard condition.subject == .label, case .equals(let label) = condition.comparison,
        !labels.contains(label)
      else { continue }
      let fault = DataFault.unknownLabel(label, among: labels)
      throw ModelError(.input, .invalidData([fault.at(path: condition.text)]))
    }
  }

  fileprivate func wants(_ index: Int, of items: some DataItems) -> Bool {
    conditions.allSatisfy { condition in
      let texts =
        switch condition.subject {
        case .label: items.labelIndexes(at: index).map { items.labels[$0] }
        case .name: [items.name(at: index)]
        case .set: [items.part(at: index) ?? .unassigned].map(\.rawValue)
        }
      return texts.contains(where: condition.comparison.holds) != condition.isNegated
    }
  }
}

extension DataFault {
  static func invalidFilter(_ text: String) -> DataFault {
    DataFault(
      code: "invalid-filter", expected: "label=cat, label!=cat, name~*.png or set=TEST",
      found: quoted(text), message: "This is no filter.")
  }

  static func unknownSubject(_ name: String, among known: [String]) -> DataFault {
    DataFault(
      code: "invalid-filter", message: "Items have no \(quoted(name)) to be chosen by.",
      suggestion: hint(name, among: known))
  }
}
