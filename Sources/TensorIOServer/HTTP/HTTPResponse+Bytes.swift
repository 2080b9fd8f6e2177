/// What a connection adds to an answer.
struct AnswerFrame {
  /// By what the request is known.
  var id: String
  /// Whether the connection ends with this answer.
  var closes = false
  /// Whether the client has to be told that the connection stays.
  var isOldClient = false
  /// Whether only the head was asked for.
  var leavesBodyOut = false
}

extension HTTPResponse {
  /// The head as it is sent, without fields that would be more than one line.
  func head(_ frame: AnswerFrame) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(256)
    bytes += "HTTP/1.1 \(status.code) \(status.reason)\r\n".utf8
    for (name, value) in headers.fields where !Self.isOurs(name) && Self.isOneLine(name, value) {
      bytes.addField(name, value)
    }
    if status.hasBody { bytes.addField("Content-Length", String(body.count)) }
    bytes.addField("X-Request-Id", frame.id)
    if frame.closes {
      bytes.addField("Connection", "close")
    } else if frame.isOldClient {
      bytes.addField("Connection", "keep-alive")
    }
    bytes += "\r\n".utf8
    return bytes
  }

  /// The body as it is sent.
  func sentBody(_ frame: AnswerFrame) -> [UInt8] {
    status.hasBody && !frame.leavesBodyOut ? body : []
  }

  private static func isOurs(_ name: String) -> Bool {
    ["Content-Length", "Connection", "X-Request-Id", "Transfer-Encoding"]
      .contains { $0.isSameWord(as: name) }
  }

  private static func isOneLine(_ name: String, _ value: String) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(\.isToken) && value.utf8.allSatisfy(\.isFieldText)
  }
}

extension HTTPStatus {
  fileprivate var hasBody: Bool { code >= 200 && code != 204 && code != 304 }
}

extension [UInt8] {
  fileprivate mutating func addField(_ name: String, _ value: String) {
    self += name.utf8
    self += ": ".utf8
    self += value.utf8
    self += "\r\n".utf8
  }
}
