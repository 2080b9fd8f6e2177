import TensorIOBundle
import TensorIOJSON

extension ModelError: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    frame.write(stage, reason, layer, file)
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    self.init(
      try frame.read(), try frame.read(), layer: try frame.read(), file: try frame.read())
  }
}

extension ModelError.Reason: FrameCodable {
  package func write(to frame: inout FrameWriter) {
    frame.write(code.rawValue, code.response, code.topic, message, details.text, diagnostics)
    frame.write(clientMessage)
  }

  package init(from frame: inout FrameReader) throws(FrameError) {
    let name: String = try frame.read()
    guard Self.isValid(code: name) else { throw .invalidValue("the code of an error") }
    let code = ModelError.Code(name, try frame.read(), topic: try frame.read())
    let message: String = try frame.read()
    let details: String = try frame.read()
    guard let members = JSONNode(compactJSON: details)?.value.members else {
      throw .invalidValue("the details of an error")
    }
    self.init(
      code, .init(message, details: members), diagnostics: try frame.read(),
      clientMessage: try frame.read())
  }
}

extension ModelError.Reason {
  private static let maxCodeLength = 64

  /// Returns whether a code is in kebab case: scripts, logs and headers rely on it, and a worker process
  /// is not trusted.
  private static func isValid(code: String) -> Bool {
    (1...maxCodeLength).contains(code.utf8.count)
      && code.unicodeScalars.allSatisfy {
        ("a"..."z").contains($0) || ("0"..."9").contains($0) || $0 == "-"
      }
  }
}

extension ModelError.Code.Response: FrameCodable {}
extension ModelError.Code.Topic: FrameCodable {}
