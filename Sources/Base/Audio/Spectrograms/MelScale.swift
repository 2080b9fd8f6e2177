import TensorIOSystem

/// A scale of pitch.
package enum MelScale: String, Sendable, Hashable, CaseIterable {
  /// Logarithmic: `2595 * log10(1 + f / 700)`. TensorFlow and torchaudio use it by default.
  case htk
  /// Linear up to 1000 Hz and logarithmic above. librosa uses it by default.
  case slaney

  /// Returns the pitch of a frequency in hertz.
  func mel(_ hertz: Double) -> Double {
    switch self {
    case .htk: 2595 * log10(1 + hertz / 700)
    case .slaney:
      hertz < 1000 ? hertz * 3 / 200 : 15 + log(hertz / 1000) / Self.slaneyStep
    }
  }

  /// Returns the frequency of a pitch.
  func hertz(_ mel: Double) -> Double {
    switch self {
    case .htk: 700 * (pow(10, mel / 2595) - 1)
    case .slaney: mel < 15 ? mel * 200 / 3 : 1000 * exp(Self.slaneyStep * (mel - 15))
    }
  }

  /// The logarithm of the ratio of frequencies that are a unit apart, above 1000 Hz.
  private static let slaneyStep = log(6.4) / 27
}
