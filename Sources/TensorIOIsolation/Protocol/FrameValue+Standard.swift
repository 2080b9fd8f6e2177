extension UInt8: FrameValue {
  package func write(to frame: inout FrameWriter) { frame.bytes.append(self) }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    self = try frame.read(UInt8.self)
  }
}

extension Bool: FrameValue {
  package func write(to frame: inout FrameWriter) { UInt8(self ? 1 : 0).write(to: &frame) }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    let byte = try UInt8(from: &frame)
    guard byte < 2 else { throw .impossible("a truth value of \(byte)") }
    self = byte == 1
  }
}

extension Int: FrameValue {
  package func write(to frame: inout FrameWriter) {
    frame.write(UInt64(bitPattern: Int64(self)))
  }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    let number = Int64(bitPattern: try frame.read(UInt64.self))
    guard let number = Int(exactly: number) else { throw .impossible("the number \(number)") }
    self = number
  }
}

extension Float: FrameValue {
  package func write(to frame: inout FrameWriter) { frame.write(bitPattern) }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    self.init(bitPattern: try frame.read(UInt32.self))
  }
}

extension String: FrameValue {
  package func write(to frame: inout FrameWriter) { Array(utf8).write(to: &frame) }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    let bytes = try [UInt8](from: &frame)
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .impossible("a text that is no text")
    }
    self = text
  }
}

extension Array: FrameValue where Element: FrameValue {
  package func write(to frame: inout FrameWriter) {
    frame.write(UInt32(clamping: count))
    for element in self { element.write(to: &frame) }
  }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    let count = Int(try frame.read(UInt32.self))
    // Every element has a byte at least, so that a count alone cannot ask for memory.
    guard count <= frame.count else { throw .wrongLength }
    self.init()
    for _ in 0..<count { append(try Element(from: &frame)) }
  }
}

extension Optional: FrameValue where Wrapped: FrameValue {
  package func write(to frame: inout FrameWriter) {
    (self != nil).write(to: &frame)
    if let self { self.write(to: &frame) }
  }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    self = try Bool(from: &frame) ? try Wrapped(from: &frame) : nil
  }
}

/// A word of a list that both sides know.
extension FrameValue where Self: RawRepresentable, RawValue == String {
  package func write(to frame: inout FrameWriter) { rawValue.write(to: &frame) }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    let word = try String(from: &frame)
    guard let value = Self(rawValue: word) else { throw .impossible("the word '\(word)'") }
    self = value
  }
}
