public import TensorIOCore

extension SessionAbilities {
  /// The names of all abilities.
  public static var allNames: Set<String> {
    Set(Mirror(reflecting: SessionAbilities()).children.compactMap(\.label))
  }

  /// The names of the abilities that a session has.
  public var names: Set<String> {
    Set(
      Mirror(reflecting: self).children.compactMap { ability in
        Mirror(reflecting: ability.value).children.isEmpty ? nil : ability.label
      })
  }
}
