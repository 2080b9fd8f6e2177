extension JSONWriter {
  /// Writes a string.
  public mutating func value(_ value: String) {
    separate()
    appendQuoted(value)
  }

  /// Writes a boolean.
  public mutating func value(_ value: Bool) {
    separate()
    append(value ? JSONWriter.yes : JSONWriter.no)
  }

  /// Writes an integer.
  public mutating func value(_ value: some BinaryInteger) {
    separate()
    append(value.description.utf8)
  }

  /// Writes a number, or `null` when it is not finite.
  public mutating func value(_ value: Float) {
    separate()
    appendNumber(value)
  }

  /// Writes a number, or `null` when it is not finite.
  public mutating func value(_ value: Double) {
    separate()
    appendNumber(value)
  }

  /// Writes `null`.
  public mutating func null() {
    separate()
    append(JSONWriter.nothing)
  }

  /// Writes a value that is JSON already.
  public mutating func json(_ text: some Collection<UInt8>) {
    separate()
    append(text)
  }

  /// Writes a member whose value is a string.
  public mutating func member(_ name: String, _ value: String) {
    key(name)
    self.value(value)
  }

  /// Writes a member whose value is a boolean.
  public mutating func member(_ name: String, _ value: Bool) {
    key(name)
    self.value(value)
  }

  /// Writes a member whose value is an integer.
  public mutating func member(_ name: String, _ value: some BinaryInteger) {
    key(name)
    self.value(value)
  }

  /// Writes a member whose value is a number.
  public mutating func member(_ name: String, _ value: Float) {
    key(name)
    self.value(value)
  }

  /// Writes a member whose value is a number.
  public mutating func member(_ name: String, _ value: Double) {
    key(name)
    self.value(value)
  }

  /// Writes a member whose value is an object.
  public mutating func member<Failure: Error>(
    _ name: String, object members: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    key(name)
    try object(members)
  }

  /// Writes a member whose value is an array.
  public mutating func member<Failure: Error>(
    _ name: String, array elements: (inout JSONWriter) throws(Failure) -> Void
  ) throws(Failure) {
    key(name)
    try array(elements)
  }

  static let nothing = Array("null".utf8)
  private static let yes = Array("true".utf8)
  private static let no = Array("false".utf8)
}
