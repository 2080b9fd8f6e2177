#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

/// An error from reading audio.
public struct AudioError: Error, Sendable, Hashable {
  /// The reason for an error.
  @nonexhaustive
  public enum Reason: Sendable, Hashable {
    /// The bytes have no known audio signature.
    case unknownFormat
    /// The data ends within its header.
    case truncated
    /// The header contradicts itself or the data.
    case corrupt(message: String)
    /// The file uses a feature of its format that is not supported.
    case unsupported(String)
  }

  /// The reason for the error.
  public let reason: Reason

  /// Creates an error.
  public init(_ reason: Reason) { self.reason = reason }
}

extension AudioError: CustomStringConvertible, LocalizedError {
  /// The description, which `localizedDescription` returns.
  public var errorDescription: String? { description }

  /// The stable identifier of the reason, for scripts.
  public var code: String {
    switch reason {
    case .unknownFormat: "unknown-audio-format"
    case .truncated: "truncated-audio"
    case .corrupt: "corrupt-audio"
    case .unsupported: "unsupported-audio"
    }
  }

  /// The reason in words.
  public var description: String {
    switch reason {
    case .unknownFormat: "the data is not audio in a known format (WAV)"
    case .truncated: "the audio data is truncated"
    case .corrupt(let message): "the audio data is corrupt: \(message)"
    case .unsupported(let feature): "unsupported audio: \(feature)"
    }
  }
}
