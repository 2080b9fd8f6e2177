/// The representation of samples as bytes.
///
/// The raw values are the names that ffmpeg uses.
package enum AudioEncoding: String, Sendable, Hashable, CaseIterable {
  /// Unsigned integers of 8 bits.
  case uint8 = "u8"
  /// Integers of 16 bits, little-endian.
  case int16 = "s16le"
  /// Integers of 24 bits, little-endian.
  case int24 = "s24le"
  /// Integers of 32 bits, little-endian.
  case int32 = "s32le"
  /// Floats of 32 bits, little-endian.
  case float32 = "f32le"
  /// Floats of 64 bits, little-endian.
  case float64 = "f64le"
  /// Integers of 16 bits, big-endian.
  case int16BigEndian = "s16be"
  /// Integers of 24 bits, big-endian.
  case int24BigEndian = "s24be"
  /// Integers of 32 bits, big-endian.
  case int32BigEndian = "s32be"
  /// Floats of 32 bits, big-endian.
  case float32BigEndian = "f32be"
  /// Floats of 64 bits, big-endian.
  case float64BigEndian = "f64be"
  /// Logarithmic samples of 8 bits, as in European telephony (ITU-T G.711).
  case aLaw = "alaw"
  /// Logarithmic samples of 8 bits, as in American telephony (ITU-T G.711).
  case muLaw = "mulaw"

  /// The number of bytes of a sample.
  package var bytesPerSample: Int {
    switch self {
    case .uint8, .aLaw, .muLaw: 1
    case .int16, .int16BigEndian: 2
    case .int24, .int24BigEndian: 3
    case .int32, .int32BigEndian, .float32, .float32BigEndian: 4
    case .float64, .float64BigEndian: 8
    }
  }
}
