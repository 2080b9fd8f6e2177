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
    /// Speakers are named `Speaker 1`, `Speaker 2` and so on, in the order in which they begin to speak. A segment that is shorter
    /// than a window of the model has the speaker whose voice is nearest.
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
      guard model.callerInputs.count == 1, case .audio(let layer)? = model.callerInputs.first?.kind,
        let samples = try LayerValue.audio(sound).speech(atRate: layer.sampleRate)
      else {
        throw ModelError(
          .bundle,
          .unmetRequirement("speakers require a model whose only input is of the type 'audio'"),
          file: model.bundle.path)
      }
      let read = try ResultReader(model, .identities).embeddings().read
      let length = layer.shape.elementCount == nil ? 1 : layer.sampleCount(filling: layer.shape)
      var vectors: [Embedding] = []
      var isLong: [Bool] = []
      for segment in segments {
        let start = min(samples.count, max(0, Int(segment.start * Double(layer.sampleRate))))
        let end = min(samples.count, max(start, Int(segment.end * Double(layer.sampleRate))))
        var part = Array(samples[start..<end])
        isLong.append(part.count >= length)
        part += [Float](repeating: 0, count: max(0, length - part.count))
        let output = try model.run(.value(.numbers(Numbers(.floats(part)))))
        vectors.append(try read(output))
      }
      return labeled(vectors, isLong, options)
    }

    /// Returns the transcript with the speakers of vectors; those of short segments make no groups.
    func labeled(
      _ vectors: [Embedding], _ isLong: [Bool], _ options: SpeakerOptions
    ) -> Transcript {
      var chosen = segments.indices.filter { isLong[$0] }
      if chosen.isEmpty { chosen = Array(segments.indices) }
      let clusters = SpeakerClusters(
        chosen.map { vectors[$0] }, minSimilarity: options.minSimilarity)
      var groups = [Int?](repeating: nil, count: segments.count)
      for (index, group) in zip(chosen, clusters.groups) { groups[index] = group }
      var transcript = self
      var numbers: [Int: Int] = [:]
      for index in segments.indices {
        guard let group = groups[index] ?? clusters.nearest(to: vectors[index]) else { continue }
        let number = numbers[group] ?? numbers.count + 1
        numbers[group] = number
        transcript.segments[index].speaker = "Speaker \(number)"
      }
      return transcript
    }
  }
#endif
