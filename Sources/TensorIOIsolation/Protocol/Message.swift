internal import TensorIOCore

/// What is sent as one frame.
package protocol Message: Sendable {
  /// The message as a frame.
  var frame: Frame { get }
  /// The message that a frame is.
  init(_ frame: Frame) throws(FrameFault)
}

extension Request: Message {
  package var frame: Frame {
    var writer = FrameWriter()
    let kind: UInt8
    switch self {
    case .prepare(let orders): (kind, _) = (1, writer.write(orders))
    case .load(let orders): (kind, _) = (2, writer.write(orders))
    case .session(let threads): (kind, _) = (3, writer.write(threads))
    case .resize(let shapes): (kind, _) = (4, writer.write(shapes))
    case .memory(let side, let byteCount): (kind, _) = (5, writer.write(side, byteCount))
    case .invoke(let feeds): (kind, _) = (6, writer.write(feeds))
    }
    return Frame(kind: kind, body: writer.bytes)
  }

  package init(_ frame: Frame) throws(FrameFault) {
    var reader = FrameReader(frame.body[...])
    switch frame.kind {
    case 1: self = .prepare(try reader.read())
    case 2: self = .load(try reader.read())
    case 3: self = .session(threads: try reader.read())
    case 4: self = .resize(try reader.read())
    case 5: self = .memory(try reader.read(), byteCount: try reader.read())
    case 6: self = .invoke(try reader.read())
    default: throw .unknownKind(frame.kind)
    }
    try reader.finish()
  }
}

extension Answer: Message {
  package var frame: Frame {
    var writer = FrameWriter()
    let kind: UInt8
    switch self {
    case .done: kind = 129
    case .model(let facts): (kind, _) = (130, writer.write(facts))
    case .outputs(let places): (kind, _) = (131, writer.write(places))
    case .needsRoom(let byteCount): (kind, _) = (132, writer.write(byteCount))
    case .failed(let error): (kind, _) = (133, writer.write(error))
    }
    return Frame(kind: kind, body: writer.bytes)
  }

  package init(_ frame: Frame) throws(FrameFault) {
    var reader = FrameReader(frame.body[...])
    switch frame.kind {
    case 129: self = .done
    case 130: self = .model(try reader.read())
    case 131: self = .outputs(try reader.read())
    case 132: self = .needsRoom(try reader.read())
    case 133: self = .failed(try reader.read())
    default: throw .unknownKind(frame.kind)
    }
    try reader.finish()
  }
}
