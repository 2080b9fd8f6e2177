internal import TensorIOCore

extension ElementType: FrameValue {}
extension ModelMode: FrameValue {}
extension ModelError.Stage: FrameValue {}
extension Problem.Severity: FrameValue {}
extension BackendIdentifier: FrameValue {}

extension TensorShape: FrameValue {
  /// More axes than any runtime's tensors have.
  static let rankLimit = 64
  /// The longest axis; runtimes count in 32 bits, and products of these are checked.
  static let axisLimit = Int(Int32.max)

  package func write(to frame: inout FrameWriter) { signed.write(to: &frame) }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    let axes = try [Int](from: &frame)
    guard axes.count <= Self.rankLimit, axes.allSatisfy({ (-1...Self.axisLimit).contains($0) })
    else { throw .impossible("a shape of \(axes.count) axes") }
    self.init(signed: axes)
  }
}

extension TensorQuantization: FrameValue {
  package func write(to frame: inout FrameWriter) { frame.write(scale, zeroPoint) }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    self.init(scale: try frame.read(), zeroPoint: try frame.read())
  }
}

extension TensorInfo: FrameValue {
  package func write(to frame: inout FrameWriter) {
    frame.write(name, elementType, shape, quantization, key)
  }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    self.init(
      name: try frame.read(), elementType: try frame.read(), shape: try frame.read(),
      quantization: try frame.read(), key: try frame.read())
  }
}

extension ModelSignature: FrameValue {
  package func write(to frame: inout FrameWriter) {
    frame.write(name, inputs, placeholders, outputs)
  }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    self.init(
      name: try frame.read(), inputs: try frame.read(), placeholders: try frame.read(),
      outputs: try frame.read())
  }
}

extension Problem: FrameValue {
  package func write(to frame: inout FrameWriter) {
    frame.write(severity, code, path, line, column, expected, found, message, suggestion, original)
  }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    let severity: Severity = try frame.read()
    let code: String = try frame.read()
    let path: String = try frame.read()
    self.init(
      severity, code: code, path: path, line: try frame.read(), column: try frame.read(),
      expected: try frame.read(), found: try frame.read(), message: try frame.read(),
      suggestion: try frame.read(), original: try frame.read())
  }
}
