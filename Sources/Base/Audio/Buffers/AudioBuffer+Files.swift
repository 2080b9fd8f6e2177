import TensorIOSystem

extension AudioBuffer {
  /// Decodes a WAV file.
  ///
  /// - Throws: ``AudioError`` if the file cannot be read, is too large or corrupt.
  public init(contentsOf path: String) throws(AudioError) {
    do throws(AudioError) {
      try self.init(decoding: AudioFile.read(path))
    } catch {
      throw error.with(file: path)
    }
  }

  /// Decodes a WAV file in memory.
  ///
  /// The samples may be integers of 8, 16, 24 or 32 bits, floats of 32 or 64 bits, A-law or µ-law.
  /// If the file is shorter than its header declares, the buffer has the complete frames that
  /// exist.
  ///
  /// - Throws: ``AudioError`` if the header is truncated, corrupt or unsupported.
  public init(decoding bytes: [UInt8]) throws(AudioError) {
    let header = try WAVHeader(of: bytes)
    let format = header.format
    let sampleCount = header.data.count / format.encoding.bytesPerSample
    try AudioLimits.validate(samples: sampleCount)
    self.init(
      unchecked: SampleKernels.decode(bytes, at: header.data, format.encoding),
      sampleRate: format.sampleRate, channelCount: format.channelCount)
  }

  /// Returns the audio as a WAV file.
  public func encoded(as encoding: WAVEncoding = .int16) -> [UInt8] {
    WAVWriter.encode(self, as: encoding)
  }

  /// The samples as integers of 16 bits, lowest byte first, without a header.
  package var pcm: [UInt8] { WAVWriter.samples(of: self, .int16) }

  /// Returns the beginning of a WAV file whose ``pcm`` follows in parts, so that its length is not known.
  package static func streamHeader(sampleRate: Int) -> [UInt8] {
    WAVWriter.streamHeader(sampleRate: sampleRate, channelCount: 1)
  }

  /// Writes the audio as a WAV file.
  ///
  /// The write is atomic and replaces an existing file.
  public func write(to path: String, as encoding: WAVEncoding = .int16) throws(AudioError) {
    do {
      try AtomicFile.write(encoded(as: encoding), to: path, isDurable: false)
    } catch {
      throw AudioError(.unwritable(message: error.message), file: path)
    }
  }
}

/// The formats of samples in which WAV files can be written.
public enum WAVEncoding: Sendable, Hashable {
  /// Integers of 16 bits; samples outside -1…1 are clamped.
  case int16
  /// Floats of 32 bits, without loss.
  case float32
}

/// Reading of audio files.
package enum AudioFile {
  /// Returns the contents of a file or pipe.
  package static func read(_ path: String) throws(AudioError) -> [UInt8] {
    do {
      return try FileBytes.contents(of: path, limit: AudioLimits.maxFileBytes, .any)
    } catch {
      throw AudioError(error.reason, file: path)
    }
  }
}

extension AudioError {
  /// Returns the error with the path of a file, unless it already has one.
  func with(file path: String) -> AudioError {
    AudioError(reason, file: file ?? path)
  }
}

extension FileError {
  fileprivate var reason: AudioError.Reason {
    switch self {
    case .oversized(let bytes, let limit): .oversizedFile(bytes: bytes, limit: limit)
    case .notFound, .nulInPath, .notARegularFile, .truncated, .system: .unreadable(message: message)
    }
  }
}
