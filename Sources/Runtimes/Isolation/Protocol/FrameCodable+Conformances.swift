import TensorIOBundle
import TensorIOCore

extension UInt8: FrameCodable {
  package func write(to frame: inout FrameWriter) { frame.bytes.append(self) }

  package init(from frame: inout FrameReader) throws(FrameError) {
    self = try frame.read(UInt8.self)
  }
}

extension Bool: FrameCodable {
  package func write(to frame: inout FrameWriter) { UInt8(self ? 1 : 0).write(to: &frame) }

  package init(from frame: inout FrameReader) throws(FrameError) {
    let byte = try UInt8(from: &frame)
    guard byte < 2 else { throw .invalidValue("the Boolean \(byte)") }
    self = byte == 1
  }
}

extension Int: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    frame.write(UInt64(bitPattern: Int64(self)))
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    let value = Int64(bitPattern: try frame.read(UInt64.self))
    guard let number = Int(exactly: value) else { throw .invalidValue("the integer \(value)") }
    self = number
  }
}

extension Int32: FrameCodable {
  package func write(to frame: inout FrameWriter) { frame.write(UInt32(bitPattern: self)) }

  package init(from frame: inout FrameReader) throws(FrameError) {
    self.init(bitPattern: try frame.read(UInt32.self))
  }
}

extension Float: FrameCodable {
  package func write(to frame: inout FrameWriter) { frame.write(bitPattern) }

  package init(from frame: inout FrameReader) throws(FrameError) {
    self.init(bitPattern: try frame.read(UInt32.self))
  }
}

extension String: FrameCodable {
  package func write(to frame: inout FrameWriter) { Array(utf8).write(to: &frame) }

  package init(from frame: inout FrameReader) throws(FrameError) {
    let bytes = try [UInt8](from: &frame)
    guard let string = String(validating: bytes, as: UTF8.self) else {
      throw .invalidValue("a string that is not UTF-8")
    }
    self = string
  }
}

extension Array: FrameCodable where Element: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    frame.write(UInt32(clamping: count))
    for element in self { element.write(to: &frame) }
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    let count = Int(try frame.read(UInt32.self))
    // Every element takes at least one byte; this limits the memory that a count can request.
    guard count <= frame.remainingCount else { throw .wrongLength }
    self.init()
    for _ in 0..<count { append(try Element(from: &frame)) }
  }
}

extension Optional: FrameCodable where Wrapped: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    (self != nil).write(to: &frame)
    if let self { self.write(to: &frame) }
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    self = try Bool(from: &frame) ? try Wrapped(from: &frame) : nil
  }
}

/// Encodes enumerations by their raw value.
extension FrameCodable where Self: RawRepresentable, RawValue == String {
  package func write(to frame: inout FrameWriter) { rawValue.write(to: &frame) }

  package init(from frame: inout FrameReader) throws(FrameError) {
    let rawValue = try String(from: &frame)
    guard let value = Self(rawValue: rawValue) else {
      throw .invalidValue("the raw value '\(rawValue)'")
    }
    self = value
  }
}

extension ElementType: FrameCodable {}
extension ModelMode: FrameCodable {}
extension ModelError.Stage: FrameCodable {}
extension Diagnostic.Severity: FrameCodable {}
extension BackendIdentifier: FrameCodable {}
extension TextLayer.Part: FrameCodable {}

extension OutputRole: FrameCodable {
  package func write(to frame: inout FrameWriter) { name.write(to: &frame) }

  package init(from frame: inout FrameReader) throws(FrameError) { self.init(try frame.read()) }
}

extension CacheLink: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    frame.write(output, input, function, isConstant, length)
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    self.init(
      output: try frame.read(), input: try frame.read(), function: try frame.read(),
      isConstant: try frame.read(), length: try frame.read())
  }
}

extension TensorShape: FrameCodable {
  /// The maximum number of dimensions, more than any runtime supports.
  static let maxRank = 64
  /// The maximum dimension; runtimes use 32-bit dimensions, and products are checked for overflow.
  static let maxAxisLength = Int(Int32.max)

  package func write(to frame: inout FrameWriter) { signedDimensions.write(to: &frame) }

  package init(from frame: inout FrameReader) throws(FrameError) {
    let dimensions = try [Int](from: &frame)
    guard dimensions.count <= Self.maxRank,
      dimensions.allSatisfy({ (-1...Self.maxAxisLength).contains($0) })
    else { throw .invalidValue("a shape of \(dimensions.count) dimensions") }
    self.init(signedDimensions: dimensions)
  }
}

extension TensorQuantization: FrameCodable {
  package func write(to frame: inout FrameWriter) { frame.write(scale, zeroPoint) }

  package init(from frame: inout FrameReader) throws(FrameError) {
    self.init(scale: try frame.read(), zeroPoint: try frame.read())
  }
}

extension TensorInfo: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    frame.write(name, elementType, shape, quantization, signatureKey)
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    self.init(
      name: try frame.read(), elementType: try frame.read(), shape: try frame.read(),
      quantization: try frame.read(), signatureKey: try frame.read())
  }
}

extension ModelSignature: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    frame.write(name, inputs, placeholders, outputs)
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    self.init(
      name: try frame.read(), inputs: try frame.read(), placeholders: try frame.read(),
      outputs: try frame.read())
  }
}

extension Diagnostic: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    frame.write(
      severity, code, path, line, column, expected, found, message, suggestion, legacyCode)
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    let severity: Severity = try frame.read()
    let code: String = try frame.read()
    let path: String = try frame.read()
    self.init(
      severity, code: code, path: path, line: try frame.read(), column: try frame.read(),
      expected: try frame.read(), found: try frame.read(), message: try frame.read(),
      suggestion: try frame.read(), legacyCode: try frame.read())
  }
}
