@testable import TensorIOServer

/// Frames of HTTP/2 that a session would not send.
enum RawFrames {
  static let endHeaders: UInt8 = 4

  /// The beginning of a connection, with the default settings.
  static let start = HTTP2Preface.bytes + frame(type: 4)

  static func frame(
    type: UInt8, flags: UInt8 = 0, stream: UInt8 = 0, _ payload: [UInt8] = []
  ) -> [UInt8] {
    let count = payload.count
    let length = [16, 8, 0].map { UInt8(truncatingIfNeeded: count >> $0) }
    return length + [type, flags, 0, 0, 0, stream] + payload
  }

  /// Returns the header fields of a call; without flags, they are not complete.
  static func headers(
    _ path: String, stream: UInt8 = 1, flags: UInt8 = endHeaders
  ) -> [UInt8] {
    func text(_ value: String) -> [UInt8] { [UInt8(value.utf8.count)] + value.utf8 }
    // POST, http, then names of the static table with values.
    let fields =
      [0x83, 0x86, 0x04] + text(path) + [0x01] + text("localhost") + [0x0F, 0x10]
      + text("application/grpc")
    return frame(type: 1, flags: flags, stream: stream, fields)
  }

  /// A part of header fields that is not the last one.
  static let continuation = frame(type: 9, stream: 1, [0x00, 1, 0x61, 1, 0x62])
}
