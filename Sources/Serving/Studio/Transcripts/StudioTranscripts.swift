import Synchronization
import TensorIOServer

/// The transcripts of sound that clients send in pieces.
final class StudioTranscripts: Sendable {
  /// Limits on transcripts.
  struct Limits: Sendable {
    var maxStored = 4
    /// The time without a request after which the client is considered gone.
    var idleTimeout = Duration.seconds(60)
    var sound = StudioTranscript.Limits()
  }

  let limits: Limits
  private let transcripts = Mutex<[StudioTranscript]>([])

  init(_ limits: Limits = Limits()) { self.limits = limits }

  /// The number of transcripts.
  var count: Int { transcripts.withLock(\.count) }

  /// Adds a transcript.
  ///
  /// If too many are stored, evicts the oldest one that its client has left; throws if there is none.
  func add(_ transcript: StudioTranscript) throws(ClientError) {
    try transcripts.withLock { (transcripts) throws(ClientError) in
      if transcripts.count >= limits.maxStored {
        guard let index = transcripts.firstIndex(where: { $0.idleTime > limits.idleTimeout })
        else {
          throw ClientError(
            .tooManyRequests, "too-many-transcripts",
            "\(limits.maxStored) transcripts are already being written; stop one")
        }
        transcripts.remove(at: index).cancel()
      }
      transcripts.append(transcript)
    }
  }

  /// Returns the transcript with the given identifier.
  func transcript(_ id: String) throws(ClientError) -> StudioTranscript {
    guard let transcript = transcripts.withLock({ $0.first { $0.id == id } }) else {
      throw .notFound("transcript")
    }
    transcript.recordUse()
    return transcript
  }

  /// Cancels a transcript, and removes it.
  func remove(_ transcript: StudioTranscript) {
    transcript.cancel()
    transcripts.withLock { $0.removeAll { $0 === transcript } }
  }

  /// Cancels and removes all transcripts.
  func close() {
    let all = transcripts.withLock { transcripts in
      defer { transcripts = [] }
      return transcripts
    }
    for transcript in all { transcript.cancel() }
  }
}
