/// What is still to be written to a connection.
struct Outbox {
  private var parts: [[UInt8]] = []
  private var start = 0
  /// How many bytes are left.
  private(set) var count = 0

  /// Smaller bodies are sent together with their heads.
  private static let joined = 16 << 10

  var isEmpty: Bool { count == 0 }

  mutating func append(_ head: [UInt8], _ body: [UInt8] = []) {
    count += head.count + body.count
    if body.count <= Self.joined {
      join(head + body)
    } else {
      parts += [head, body]
    }
  }

  /// Writes what fits; says whether anybody is there to read it.
  mutating func flush(to socket: Socket) -> Bool {
    while let part = parts.first {
      switch socket.write(part, from: start) {
      case .bytes(let written): advance(by: written, of: part.count)
      case .wouldBlock: return true
      case .ended: return false
      }
    }
    return true
  }

  private mutating func join(_ bytes: [UInt8]) {
    if let last = parts.last, last.count + bytes.count <= Self.joined {
      parts[parts.count - 1] += bytes
    } else {
      parts.append(bytes)
    }
  }

  private mutating func advance(by written: Int, of size: Int) {
    (start, count) = (start + written, count - written)
    guard start == size else { return }
    parts.removeFirst()
    start = 0
  }
}
