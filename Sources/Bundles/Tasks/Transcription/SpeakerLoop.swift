#if Everything
  import Synchronization
  import TensorIOBundle

  /// Transcribes a recording, and assigns the segments to speakers when all of them are known.
  final class SpeakerLoop: ResultLoop {
    private struct State {
      var labeler: SpeakerLabeler
      /// The transcript with speakers; `nil` before its end.
      var labeled: Transcript?
    }

    private let loop: TranscriptionLoop
    private let samples: [Float]
    private let sampleRate: Int
    private let state: Mutex<State>

    /// Prepares a transcription.
    ///
    /// - Parameters:
    ///   - loop: The transcription without speakers.
    ///   - samples: The sound.
    ///   - sampleRate: The rate of the sound.
    ///   - labeler: Assigns the segments.
    init(
      _ loop: TranscriptionLoop, _ samples: [Float], atRate sampleRate: Int,
      _ labeler: SpeakerLabeler
    ) {
      (self.loop, self.samples, self.sampleRate) = (loop, samples, sampleRate)
      state = Mutex(State(labeler: labeler))
    }

    /// Returns the next segment, which has no speaker yet.
    func next() throws(ModelError) -> Transcript.Segment? {
      try state.withLock { (state) throws(ModelError) in
        guard state.labeled == nil else { return nil }
        do throws(ModelError) {
          if let segment = try loop.next() {
            try state.labeler.add(segment, of: samples, atRate: sampleRate)
            return segment
          }
          state.labeled = try state.labeler.labeled(loop.result)
          return nil
        } catch {
          // What fails has ended.
          loop.cancel()
          state.labeled = loop.result
          throw error
        }
      }
    }

    /// The transcript so far, which has speakers after its end.
    var result: Transcript { state.withLock { $0.labeled } ?? loop.result }

    var isComplete: Bool { state.withLock { $0.labeled } != nil }

    func cancel() { loop.cancel() }
  }
#endif
