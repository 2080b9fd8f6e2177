#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error from reading, converting or writing audio.
public struct AudioError: Error, Sendable, Hashable {
  /// The reason for an error.
  @nonexhaustive
  public enum Reason: Sendable, Hashable {
    /// The file does not exist or cannot be read.
    case unreadable(message: String)
    /// The file is larger than the limit.
    case oversizedFile(bytes: Int, limit: Int)
    /// The bytes have no known audio signature.
    case unknownFormat
    /// The data ends within its header.
    case truncated
    /// The header contradicts itself or the data.
    case corrupt(message: String)
    /// The file uses a feature of its format that is not supported.
    case unsupported(String)
    /// The audio has more samples than the limit.
    case tooLong(samples: Int, limit: Int)
    /// A sample rate, channel count or number of samples is invalid.
    case invalidFormat(message: String)
    /// The file cannot be written.
    case unwritable(message: String)
  }

  /// The reason for the error.
  public let reason: Reason
  /// The path of the file, if the audio was read from or written to one.
  public var file: String?

  /// Creates an error, optionally for a file.
  public init(_ reason: Reason, file: String? = nil) {
    self.reason = reason
    self.file = file
  }
}

extension AudioError: CustomStringConvertible, LocalizedError {
  /// The description, which `localizedDescription` returns.
  public var errorDescription: String? { description }

  /// The stable identifier of the reason, for scripts.
  public var code: String {
    switch reason {
    case .unreadable: "unreadable-audio"
    case .oversizedFile: "oversized-file"
    case .unknownFormat: "unknown-audio-format"
    case .truncated: "truncated-audio"
    case .corrupt: "corrupt-audio"
    case .unsupported: "unsupported-audio"
    case .tooLong: "audio-too-long"
    case .invalidFormat: "invalid-audio-format"
    case .unwritable: "unwritable"
    }
  }

  /// One line with the file and the reason.
  public var description: String {
    (file.map { "\($0): " } ?? "") + message
  }

  private var message: String {
    switch reason {
    case .unreadable(let reason): "cannot read the audio: \(reason)"
    case .oversizedFile(let bytes, let limit):
      "the audio file has \(bytes) bytes; the limit is \(limit)"
    case .unknownFormat: "the data is not audio in a known format (WAV)"
    case .truncated: "the audio data is truncated"
    case .corrupt(let message): "the audio data is corrupt: \(message)"
    case .unsupported(let feature): "unsupported audio: \(feature)"
    case .tooLong(let samples, let limit):
      "the audio has \(samples) samples; the limit is \(limit)"
    case .invalidFormat(let message): "invalid audio format: \(message)"
    case .unwritable(let reason): "cannot write the audio: \(reason)"
    }
  }
}
