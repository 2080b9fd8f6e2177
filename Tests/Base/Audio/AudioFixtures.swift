import Foundation
import TensorIOTestSupport

/// The fixtures that `Scripts/fixtures/golden/make-audio.py` writes.
enum AudioFixtures {
  static let folder = ProjectFiles.root.appending(path: "Tests/Fixtures/Audio")

  static func decode<Value: Decodable>(_ name: String) throws -> Value {
    try JSONDecoder().decode(Value.self, from: Data(contentsOf: folder.appending(path: name)))
  }

  static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: folder.appending(path: name)))
  }
}

/// A WAV file of 16-bit samples whose fields can be wrong.
struct ForgedWAV {
  var signature = "RIFF"
  var form = "WAVE"
  var fileSize: UInt32?
  var formatSize: UInt32?
  var tag: UInt16 = 1
  var channels: UInt16 = 1
  var rate: UInt32 = 8000
  var frameSize: UInt16?
  var bits: UInt16 = 16
  /// Bytes between the format and the data.
  var extra: [UInt8] = []
  var dataSize: UInt32?
  var data: [UInt8] = [0, 64, 0, 192, 255, 127, 0, 128]
  /// Bytes that follow the data.
  var trailer: [UInt8] = []

  static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
    unsafe Swift.withUnsafeBytes(of: number.littleEndian) { unsafe Array($0) }
  }

  /// The file.
  var bytes: [UInt8] {
    var format = Self.bytes(tag) + Self.bytes(channels) + Self.bytes(rate)
    format += Self.bytes(UInt32(0)) + Self.bytes(frameSize ?? channels &* (bits / 8))
    format += Self.bytes(bits)
    var body = Array("\(form)fmt ".utf8) + Self.bytes(formatSize ?? 16) + format + extra
    body += Array("data".utf8) + Self.bytes(dataSize ?? UInt32(data.count)) + data + trailer
    return Array(signature.utf8) + Self.bytes(fileSize ?? UInt32(body.count)) + body
  }
}
