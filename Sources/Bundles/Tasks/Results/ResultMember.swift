/// A named member of a record in a result.
public struct ResultMember<Record: Sendable>: Sendable {
  /// The name.
  public let name: String
  /// Returns the member of each record as a column.
  let column: @Sendable ([Record]) -> ResultColumn

  /// Creates a member.
  ///
  /// - Parameters:
  ///   - name: The name in JSON and in tables, such as `min_score`.
  ///   - value: Returns the value of a record; a key path will do.
  public init<Value: ResultValue>(
    _ name: String, _ value: @escaping @Sendable (Record) -> Value
  ) {
    self.name = name
    column = { records in Value.column(of: records.map(value)) }
  }

  private init(_ name: String, column: @escaping @Sendable ([Record]) -> ResultColumn) {
    (self.name, self.column) = (name, column)
  }

  /// Returns the member of a part that records may have, as a member of the records.
  package func of<Whole>(_ part: @escaping @Sendable (Whole) -> Record?) -> ResultMember<Whole> {
    ResultMember<Whole>(
      name,
      column: { [column] wholes in
        let parts = wholes.map(part)
        let found = column(parts.compactMap(\.self))
        let isPresent = parts.map { $0 != nil }
        guard case .optionals(let isFound, of: let values) = found else {
          return .optionals(isPresent: isPresent, of: found)
        }
        // A missing part has no member, nor has a part without it.
        var position = 0
        return .optionals(
          isPresent: isPresent.map { isPresent in
            guard isPresent else { return false }
            defer { position += 1 }
            return isFound[position]
          }, of: values)
      })
  }
}
