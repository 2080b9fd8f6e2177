/// A decoder of a WAV file that arrives in blocks, as from a pipe.
///
/// If the declared size is zero or unknown, the samples extend to the end of the input; bytes after
/// the declared size are ignored.
///
/// ```swift
/// var decoder = WAVStreamDecoder(sampleRate: 16_000, mixesToMono: true)
/// var samples: [Float] = []
/// while let block = readBlock() { try decoder.append(block, to: &samples) }
/// try decoder.finish(to: &samples)
/// ```
package struct WAVStreamDecoder: Sendable {
  private let sampleRate: Int?
  private let mixesToMono: Bool
  /// The input until the header is complete.
  private var header: [UInt8] = []
  private var decoder: AudioStreamDecoder?
  /// The number of bytes of samples that the input still has; `nil` if it is unknown.
  private var remaining: Int?

  /// Creates a decoder.
  ///
  /// - Parameters:
  ///   - sampleRate: The sample rate of the output; `nil` keeps that of the file.
  ///   - mixesToMono: Whether the output has one channel, the mean of those of the file.
  package init(sampleRate: Int? = nil, mixesToMono: Bool) {
    self.sampleRate = sampleRate
    self.mixesToMono = mixesToMono
  }

  /// The format of the file; `nil` until its header is complete.
  package var format: AudioFormat? { decoder?.format }

  /// Appends the samples that a block of bytes makes available.
  ///
  /// - Throws: ``AudioError`` if the header is invalid or too long.
  package mutating func append(_ bytes: [UInt8], to samples: inout [Float]) throws(AudioError) {
    guard decoder == nil else {
      decode(bytes, from: 0, to: &samples)
      return
    }
    header += bytes
    guard let parsed = try parsedHeader() else { return }
    decoder = try AudioStreamDecoder(
      parsed.format, sampleRate: sampleRate, mixesToMono: mixesToMono)
    remaining = parsed.declaredByteCount
    decode(header, from: parsed.data.lowerBound, to: &samples)
    header = []
  }

  /// Appends the samples at the end of the input.
  ///
  /// - Throws: ``AudioError`` if the header is incomplete.
  package mutating func finish(to samples: inout [Float]) throws(AudioError) {
    guard decoder != nil else { throw AudioError(.truncated) }
    decoder?.finish(to: &samples)
  }

  /// The maximum size of what precedes the samples.
  private static let maxHeaderSize = 1 << 20

  /// Returns the header, or `nil` if it is incomplete.
  private func parsedHeader() throws(AudioError) -> WAVHeader? {
    do throws(AudioError) {
      return try WAVHeader(of: header)
    } catch {
      guard error.reason == .truncated, header.count <= Self.maxHeaderSize else { throw error }
      return nil
    }
  }

  private mutating func decode(_ bytes: [UInt8], from start: Int, to samples: inout [Float]) {
    let count = min(bytes.count - start, remaining ?? .max)
    decoder?.append(bytes, in: start..<start + count, to: &samples)
    remaining = remaining.map { $0 - count }
  }
}
