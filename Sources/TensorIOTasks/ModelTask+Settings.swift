internal import TensorIOCore

// The description's rules have seen to it that a setting of a known task is of its type; in a task
// that an application makes itself, what is of another type counts as left out.
extension ModelTask {
  func number(_ key: String) -> Float? { value(of: key)?.float }

  func count(_ key: String) -> Int? { value(of: key)?.int.flatMap { Int(exactly: $0) } }

  func flag(_ key: String) -> Bool? { value(of: key)?.bool }

  func word(_ key: String) -> String? { value(of: key)?.string }

  func words(_ key: String) -> [String]? { value(of: key)?.elements?.compactMap(\.string) }

  func choice<Choice: RawRepresentable>(_ key: String) -> Choice? where Choice.RawValue == String {
    word(key).flatMap(Choice.init)
  }

  var labelFilter: LabelFilter {
    LabelFilter(allow: words("allow").map(Set.init), deny: Set(words("deny") ?? []))
  }
}

extension [Layer] {
  /// The name of the output that has a role.
  func name(of role: OutputRole) -> String? { first { $0.role == role }?.name }
}
