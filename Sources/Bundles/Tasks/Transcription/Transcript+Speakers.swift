#if Everything
  public import TensorIOAudio
  public import TensorIOBundle
  public import TensorIOCore

  extension Transcript {
    /// Returns the transcript with the speaker of each segment, by the similarity of their voices.
    ///
    /// ```swift
    /// import TensorIO
    ///
    /// let model = try Model(at: "whisper.tiobundle")
    /// let sound = try AudioBuffer(contentsOf: "meeting.wav")
    /// let transcript = try model.transcribe(sound).result()
    /// let voices = try Model(at: "speaker.tiobundle")
    /// for segment in try transcript.labelingSpeakers(in: sound, with: voices).segments {
    ///   print(segment.speaker ?? "", segment.text)
    /// }
    /// ```
    ///
    /// Speakers have the names of ``SpeakerOptions/gallery``. Others are named `Speaker 1`, `Speaker 2` and so on, in the order in
    /// which they begin to speak. A segment that is shorter than a window of the model has the speaker whose voice is nearest.
    ///
    /// - Parameters:
    ///   - sound: The recording.
    ///   - model: A model of voices, with the task `embedding` and sound as its only input.
    ///   - adjust: Changes the options.
    /// - Returns: The transcript with ``Segment/speaker``.
    /// - Throws: A ``ModelError`` if the model makes no vectors of sound, or fails.
    public func labelingSpeakers(
      in sound: AudioBuffer, with model: Model, _ adjust: (inout SpeakerOptions) -> Void = { _ in }
    ) throws(ModelError) -> Transcript {
      var options = SpeakerOptions()
      adjust(&options)
      var labeler = try SpeakerLabeler(model, options)
      let samples = try LayerValue.audio(sound).speech(atRate: labeler.sampleRate) ?? []
      for segment in segments {
        try labeler.add(segment, of: samples, atRate: labeler.sampleRate)
      }
      return try labeler.labeled(self)
    }

    /// Returns the transcript with the speakers of vectors; those of short segments make no groups.
    ///
    /// - Parameters:
    ///   - vectors: The vectors of the segments.
    ///   - isLong: Whether each segment is as long as a window of the model.
    ///   - options: The options.
    ///   - matcher: Names known voices; `nil` if there are none.
    /// - Returns: The transcript.
    /// - Throws: A ``ModelError`` if the gallery cannot be read.
    func labeled(
      _ vectors: [Embedding], _ isLong: [Bool], _ options: SpeakerOptions,
      _ matcher: GalleryMatcher? = nil
    ) throws(ModelError) -> Transcript {
      var chosen = segments.indices.filter { isLong[$0] }
      if chosen.isEmpty { chosen = Array(segments.indices) }
      let clusters = SpeakerClusters(
        chosen.map { vectors[$0] }, minSimilarity: options.minSimilarity)
      var groups = [Int?](repeating: nil, count: segments.count)
      for (index, group) in zip(chosen, clusters.groups) { groups[index] = group }
      var transcript = self
      var names: [Int: String] = [:]
      var unknownCount = 0
      for index in segments.indices {
        guard let group = groups[index] ?? clusters.nearest(to: vectors[index]) else { continue }
        if names[group] == nil {
          let name = try matcher?.recognize(clusters.direction(of: group)).name
          if name == nil { unknownCount += 1 }
          names[group] = name ?? "Speaker \(unknownCount)"
        }
        transcript.segments[index].speaker = names[group]
      }
      return transcript
    }
  }
#endif
