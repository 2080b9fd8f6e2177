import TensorIOAudio
import TensorIOCore
import TensorIOStreaming
import TensorIOSystem

/// The sound of a file, a microphone or a pipe, with one channel and the sample rate of a model.
struct SoundSource {
  /// The name of the microphone as a source.
  static let microphone = "microphone"
  /// The number of bytes that are read at a time.
  private static let blockSize = 1 << 14

  private enum Decoder {
    case wav(WAVStreamDecoder)
    case raw(AudioStreamDecoder)
  }

  private let name: String
  private let bytes: any ByteStream
  /// The program that decodes the source; `nil` for WAV files and pipes.
  private let child: ChildProcess?
  private let isCancelled: @Sendable () -> Bool
  private var decoder: Decoder
  private var isAtEnd = false

  /// Opens a source at the sample rate of a model.
  ///
  /// `format` is that of samples without a header on standard input; without it, standard input is a
  /// WAV file. If `isPaced` is set, a file is read at the speed at which it plays.
  init(
    _ source: StreamSource, format: AudioFormat?, sampleRate: Int, isPaced: Bool,
    _ console: Console, isCancelled: @escaping @Sendable () -> Bool
  ) throws(OperationError) {
    self.isCancelled = isCancelled
    let wav = Decoder.wav(WAVStreamDecoder(sampleRate: sampleRate, mixesToMono: true))
    switch source {
    case .standardInput:
      name = "standard input"
      child = nil
      bytes = try console.openInputStream(isCancelled)
      decoder =
        try format.map { (format) throws(OperationError) in
          .raw(try Self.rawDecoder(format, sampleRate))
        } ?? wav
    case .video(let path) where !isPaced && path.lowercased().hasSuffix(".wav"):
      name = path
      child = nil
      do throws(AudioError) {
        bytes = InMemoryStream(try AudioFile.read(path))
      } catch {
        throw .input(error.code, error.description)
      }
      decoder = wav
    case .video(let path), .camera(let path, _):
      name = path
      let child = try Self.launchFFmpeg(path, sampleRate: sampleRate, isPaced: isPaced)
      self.child = child
      bytes = DescriptorStream(
        descriptor: FileDescriptor(rawValue: child.descriptor), timeout: ChildProcess.timeout,
        isCancelled: isCancelled)
      do throws(AudioError) {
        let format = try AudioFormat(encoding: .int16, sampleRate: sampleRate)
        decoder = .raw(try AudioStreamDecoder(format, mixesToMono: true))
      } catch {
        throw .input(error.code, error.description)
      }
    }
  }

  private static func rawDecoder(
    _ format: AudioFormat, _ sampleRate: Int
  ) throws(OperationError) -> AudioStreamDecoder {
    do throws(AudioError) {
      return try AudioStreamDecoder(format, sampleRate: sampleRate, mixesToMono: true)
    } catch {
      throw .input(error.code, error.description)
    }
  }

  /// Starts a program that decodes a file or URL, or records the microphone.
  private static func launchFFmpeg(
    _ path: String, sampleRate: Int, isPaced: Bool
  ) throws(OperationError) -> ChildProcess {
    #if os(macOS)
      let device = ["-f", "avfoundation", "-i", ":default"]
    #else
      let device = ["-f", "alsa", "-i", "default"]
    #endif
    let file = (isPaced ? ["-re"] : []) + ["-i", FFmpeg.inputArgument(for: path)]
    return try FFmpeg.launch(
      FFmpeg.program,
      ["-nostdin"] + (path == microphone ? device : file)
        + ["-map", "0:a:0", "-ac", "1", "-ar", "\(sampleRate)", "-f", "s16le", "pipe:1"],
      ours: .output)
  }

  /// Appends the next samples; returns whether there may be more.
  mutating func read(to samples: inout [Float]) throws(OperationError) -> Bool {
    guard !isAtEnd else { return false }
    let block = try bytes.readBytes(upTo: Self.blockSize, waitForAll: false)
    guard !isCancelled() else {
      child?.terminate()
      return false
    }
    isAtEnd = block.isEmpty
    if isAtEnd { try throwIfDecoderFailed() }
    do throws(AudioError) {
      switch decoder {
      case .wav(var wav):
        if isAtEnd { try wav.finish(to: &samples) } else { try wav.append(block, to: &samples) }
        decoder = .wav(wav)
      case .raw(var raw):
        if isAtEnd {
          raw.finish(to: &samples)
        } else {
          raw.append(block, in: block.indices, to: &samples)
        }
        decoder = .raw(raw)
      }
    } catch {
      child?.terminate()
      throw .input(error.code, "\(name): \(AudioError(error.reason).description)")
    }
    return true
  }

  private func throwIfDecoderFailed() throws(OperationError) {
    guard let child else { return }
    let status = child.waitUntilExit()
    guard status != 0 || child.lastErrorLine(for: name) != nil else { return }
    throw .input(
      "unreadable-audio",
      child.lastErrorLine(for: name) ?? "\(name): ffmpeg exited with status \(status)")
  }
}
