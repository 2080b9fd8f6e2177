/// Overlapping triangular filters that combine the frequencies of a spectrum into bands.
struct MelFilterBank: Sendable {
  /// A filter without its zeros.
  struct Band: Sendable {
    /// The index of the first frequency.
    let firstBin: Int
    /// The index of the first weight in ``MelFilterBank/weights``.
    let firstWeight: Int
    /// The number of weights.
    let count: Int
  }

  let bands: [Band]
  /// The weights of all bands.
  let weights: [Float]

  init(_ parameters: LogMelSpectrogram.Parameters) {
    let scale = parameters.scale
    let (low, high) = (
      scale.mel(parameters.minFrequency), scale.mel(parameters.maxFrequency)
    )
    let edges = (0..<parameters.bandCount + 2).map {
      low + (high - low) * Double($0) / Double(parameters.bandCount + 1)
    }
    let bins = (0...parameters.fftSize / 2).map {
      Double($0 * parameters.sampleRate) / Double(parameters.fftSize)
    }
    // The sides of the triangles are straight in mels or in hertz.
    let isInMels = parameters.triangles == .mels
    let corners = isInMels ? edges : edges.map(scale.hertz)
    let positions = isInMels ? bins.map(scale.mel) : bins
    var (bands, weights): ([Band], [Float]) = ([], [])
    for band in 0..<parameters.bandCount {
      let (start, center, end) = (corners[band], corners[band + 1], corners[band + 2])
      let area =
        parameters.isNormalized ? 2 / (scale.hertz(edges[band + 2]) - scale.hertz(edges[band])) : 1
      let all = positions.map { position in
        max(0, min((position - start) / (center - start), (end - position) / (end - center)))
      }
      let first = all.firstIndex { $0 > 0 } ?? 0
      let last = all.lastIndex { $0 > 0 } ?? -1
      bands.append(
        Band(firstBin: first, firstWeight: weights.count, count: max(last - first + 1, 0)))
      if last >= first { weights += all[first...last].map { Float($0 * area) } }
    }
    (self.bands, self.weights) = (bands, weights)
  }
}
