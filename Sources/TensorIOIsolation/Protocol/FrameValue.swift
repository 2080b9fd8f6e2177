/// What can be a part of a message.
package protocol FrameValue {
  /// Appends the value to a message.
  func write(to frame: inout FrameWriter)
  /// Takes a value from a message, whoever wrote it.
  init(from frame: inout FrameReader) throws(FrameFault)
}

/// A message's body while it is written.
package struct FrameWriter {
  package var bytes: [UInt8] = []

  package init() {}

  mutating func write<Number: FixedWidthInteger & UnsignedInteger>(_ number: Number) {
    for place in stride(from: 0, to: Number.bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: number >> Number(place)))
    }
  }

  /// Appends a value.
  package mutating func append(_ value: some FrameValue) { value.write(to: &self) }

  mutating func write<each Value: FrameValue>(_ values: repeat each Value) {
    repeat (each values).write(to: &self)
  }
}

/// A message's body while it is read; nothing is read beyond its end.
package struct FrameReader {
  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
  }

  /// How many bytes are left.
  var count: Int { rest.count }

  mutating func take(_ count: Int) throws(FrameFault) -> ArraySlice<UInt8> {
    guard count >= 0, count <= rest.count else { throw .wrongLength }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func read<Number: FixedWidthInteger & UnsignedInteger>(
    _ type: Number.Type
  ) throws(FrameFault) -> Number {
    try take(Number.bitWidth / 8).reversed().reduce(0) { $0 << 8 | Number($1) }
  }

  mutating func read<Value: FrameValue>(
    _ type: Value.Type = Value.self
  ) throws(FrameFault) -> Value {
    try Value(from: &self)
  }

  /// There must be nothing left.
  func finish() throws(FrameFault) {
    guard rest.isEmpty else { throw .wrongLength }
  }
}
