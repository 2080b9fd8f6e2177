import Synchronization
import TensorIOAudio
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOServer
import TensorIOTasks

/// The transcript of sound that a client sends in pieces while it records it.
final class StudioTranscript: Sendable {
  /// Limits on the sound.
  struct Limits: Sendable {
    var maxDuration = Duration.seconds(4 * 3600)
    /// The sound that may wait until the model has heard the sound before it.
    var maxWaitingDuration = Duration.seconds(120)
  }

  private struct Content {
    /// Converts the bytes to samples of the model's rate.
    var decoder: AudioStreamDecoder
    var byteCount = 0
    /// The number of bytes that the model has heard.
    var heardByteCount = 0
    /// The number of requests that run the model, or wait to do so.
    var runCount = 0
    var isFinished = false
    var segments: [Transcript.Segment] = []
    var partialText = ""
    var lastUse = ContinuousClock.now

    mutating func endRun() {
      runCount -= 1
      lastUse = .now
    }
  }

  /// The identifier, which cannot be guessed.
  let id = String(UInt64.random(in: 1 << 60 ... .max), radix: 16)
  private let modelName: String
  private let live: LiveTranscription
  private let redactor: PathRedactor
  private let limits: Limits
  private let bytesPerSecond: Int
  private let content: Mutex<Content>

  /// Creates a transcript of sound in a format, which has one channel.
  init(
    by model: Model, named modelName: String, of format: AudioFormat, _ redactor: PathRedactor,
    _ limits: Limits
  ) throws(ClientError) {
    (self.modelName, self.redactor, self.limits) = (modelName, redactor, limits)
    bytesPerSecond = format.bytesPerFrame * format.sampleRate
    do throws(ModelError) {
      live = try model.liveTranscription()
    } catch {
      throw ClientError(error, redactor)
    }
    do throws(AudioError) {
      content = Mutex(
        Content(
          decoder: try AudioStreamDecoder(
            format, sampleRate: live.sampleRate, mixesToMono: true)))
    } catch {
      throw .badRequest("the sound cannot be converted to the rate of the model: \(error)")
    }
  }

  /// The time since the last request; zero while one runs the model.
  var idleTime: Duration {
    content.withLock { $0.runCount > 0 ? .zero : $0.lastUse.duration(to: .now) }
  }

  /// Notes that the client is still there.
  func recordUse() { content.withLock { $0.lastUse = .now } }

  /// Ends the transcript; a request that runs the model fails.
  func cancel() { live.cancel() }

  /// Adds a piece of the sound, which follows the pieces that have been received.
  func append(_ bytes: [UInt8], at offset: Int) throws(ClientError) {
    try content.withLock { (content) throws(ClientError) in
      guard !content.isFinished else {
        throw ClientError(.conflict, "finished", "the transcript is finished")
      }
      guard offset == content.byteCount else {
        throw ClientError(
          .conflict, "wrong-offset", "\(content.byteCount) bytes have been received")
      }
      guard duration(of: content.byteCount + bytes.count) <= limits.maxDuration else {
        throw ClientError(
          .contentTooLarge, "sound-too-long",
          "a transcript is limited to \(limits.maxDuration.components.seconds) seconds of sound")
      }
      let waiting = duration(of: content.byteCount - content.heardByteCount)
      guard waiting <= limits.maxWaitingDuration else {
        throw ClientError(
          .tooManyRequests, "overloaded", "the model has not heard the sound before this yet")
      }
      var samples: [Float] = []
      content.decoder.append(bytes, to: &samples)
      content.byteCount += bytes.count
      // Within the lock, so that pieces of concurrent requests keep their order.
      live.append(samples)
    }
  }

  /// Lets the model hear the sound that has been received, unless another request does so.
  func update() throws(ClientError) {
    let byteCount = content.withLock { content -> Int? in
      guard content.runCount == 0, !content.isFinished else { return nil }
      content.runCount += 1
      return content.byteCount
    }
    guard let byteCount else { return }
    let result = Result { () throws(ModelError) in try live.update() }
    content.withLock { content in
      content.endRun()
      content.heardByteCount = byteCount
      guard case .success(let update?) = result else { return }
      content.segments += update.segments
      content.partialText = update.partialText
    }
    if case .failure(let error) = result { throw ClientError(error, redactor) }
  }

  /// Returns the transcript of all sound, after which none can be added.
  func finish() throws(ClientError) -> Transcript {
    content.withLock { content in
      content.runCount += 1
      guard !content.isFinished else { return }
      content.isFinished = true
      var samples: [Float] = []
      content.decoder.finish(to: &samples)
      live.append(samples)
    }
    defer { content.withLock { $0.endRun() } }
    do throws(ModelError) {
      let transcript = try live.finish()
      content.withLock { ($0.segments, $0.partialText) = (transcript.segments, "") }
      return transcript
    } catch {
      throw ClientError(error, redactor)
    }
  }

  private func duration(of byteCount: Int) -> Duration {
    .seconds(Double(byteCount) / Double(bytesPerSecond))
  }
}

extension StudioTranscript {
  /// Writes what has been heard, with the final segments from an index on.
  func writeMembers(from index: Int, to writer: inout JSONWriter) {
    let content = content.withLock(\.self)
    writer.member("id", id)
    writer.member("model", modelName)
    writer.member("received", content.byteCount)
    writer.member("duration", Double(content.byteCount) / Double(bytesPerSecond))
    writer.member("segments", array: content.segments.dropFirst(index)) { $1.write(to: &$0) }
    writer.member("partial_text", content.partialText)
  }
}
