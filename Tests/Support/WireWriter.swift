/// Writes protobuf messages, including invalid ones.
public struct WireWriter: Sendable {
  /// The bytes written so far.
  public private(set) var bytes: [UInt8] = []

  /// Creates a message with the fields that `build` writes.
  public init(_ build: (inout WireWriter) -> Void = { _ in }) { build(&self) }

  /// Appends a field with bytes.
  public mutating func bytes(_ field: Int, _ value: [UInt8]) {
    begin(field, count: value.count)
    bytes += value
  }

  /// Appends the beginning of a field with bytes that are not a part of the writer.
  public mutating func begin(_ field: Int, count: Int) {
    bytes += Self.varint(field << 3 | 2) + Self.varint(count)
  }

  /// Appends a field with a string.
  public mutating func text(_ field: Int, _ value: String) { bytes(field, Array(value.utf8)) }

  /// Appends a field with an integer; negative integers take ten bytes.
  public mutating func number(_ field: Int, _ value: Int) {
    bytes += Self.varint(field << 3) + Self.varint(value)
  }

  /// Appends a field with a message.
  public mutating func message(_ field: Int, _ build: (inout WireWriter) -> Void) {
    bytes(field, WireWriter(build).bytes)
  }

  /// Appends a message with a key and a value for each entry, in the order of the keys.
  public mutating func entries(_ field: Int, _ entries: [String: String]) {
    for (key, value) in entries.sorted(by: { $0.key < $1.key }) {
      message(field) { entry in
        entry.text(1, key)
        entry.text(2, value)
      }
    }
  }

  private static func varint(_ number: Int) -> [UInt8] { varint(UInt64(bitPattern: Int64(number))) }

  private static func varint(_ number: UInt64) -> [UInt8] {
    number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7F | 0x80)] + varint(number >> 7)
  }
}
