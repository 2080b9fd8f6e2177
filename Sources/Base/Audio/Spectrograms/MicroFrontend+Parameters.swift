extension MicroFrontend {
  /// The parameters of the frontend that bundles can change.
  package struct Parameters: Sendable, Hashable {
    /// The number of samples per second.
    package var sampleRate = 16_000
    /// The number of samples of a frame.
    package var windowLength = 480
    /// The number of samples between the starts of frames.
    package var hop = 160
    /// The size of the Fourier transform: twice a power of four, at least the window's length.
    package var fftSize = 512
    /// The number of features of a frame.
    package var bandCount = 40
    /// The frequency at which the first band begins, in hertz.
    package var minFrequency: Double = 125
    /// The frequency at which the last band ends, in hertz.
    package var maxFrequency: Double = 7500

    /// Creates the parameters of microWakeWord.
    package init() {}

    /// Throws an error if a parameter is out of range.
    func validate() throws(AudioError) {
      try AudioLimits.validate(sampleRate: sampleRate)
      try require(
        (32...maxSize).contains(fftSize) && IntegerFourierTransform.supports(fftSize),
        "the size of the transform, \(fftSize), is not 32, 128, 512 or 2048")
      try require(
        1...fftSize ~= windowLength,
        "the window of \(windowLength) samples does not fit the transform of \(fftSize)")
      try require(1...AudioLimits.maxSamples ~= hop, "the hop is \(hop)")
      try require(1...maxBandCount ~= bandCount, "the number of bands is \(bandCount)")
      try require(
        minFrequency >= 0 && maxFrequency > minFrequency
          && maxFrequency < Double(sampleRate) / 2,
        "the frequencies \(minFrequency) to \(maxFrequency) are no range below half the rate")
    }

    private var maxSize: Int { 2048 }
    private var maxBandCount: Int { 128 }

    private func require(_ condition: Bool, _ message: String) throws(AudioError) {
      guard condition else { throw AudioError(.invalidFormat(message: message)) }
    }
  }
}
