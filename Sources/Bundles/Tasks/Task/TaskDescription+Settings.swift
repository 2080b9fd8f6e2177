import TensorIOBundle
import TensorIOCore
import TensorIOJSON

// The parser has validated the types of settings of known tasks. In a task that an application
// creates, a setting of the wrong type is ignored.
extension TaskDescription {
  func float(_ key: String) -> Float? { settings[key]?.double.map(Float.init) }

  func int(_ key: String) -> Int? { settings[key]?.int }

  func bool(_ key: String) -> Bool? { settings[key]?.bool }

  func string(_ key: String) -> String? { settings[key]?.string }

  func strings(_ key: String) -> [String]? { settings[key]?.elements?.compactMap(\.string) }

  func stringLists(_ key: String) -> [[String]]? {
    settings[key]?.elements?.compactMap { $0.elements?.compactMap(\.string) }
  }

  func integers(_ key: String) -> [Int]? { settings[key]?.elements?.compactMap(\.int) }

  func floats(_ key: String) -> [Float]? {
    settings[key]?.elements?.compactMap { $0.double.map(Float.init) }
  }

  func enumValue<Choice: RawRepresentable>(
    _ key: String
  ) -> Choice? where Choice.RawValue == String {
    string(key).flatMap(Choice.init)
  }

  var labelFilter: LabelFilter {
    LabelFilter(allow: strings("allow").map(Set.init), deny: Set(strings("deny") ?? []))
  }
}

extension [Layer] {
  /// Returns the name of the output with a role.
  func outputName(for role: OutputRole) -> String? { first { $0.role == role }?.name }
}
