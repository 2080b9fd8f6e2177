/// How the scores of an output are calibrated, as the key `calibration` declares it.
package struct CalibrationDescription: Sendable, Hashable {
  /// The function that is applied to a score before the sigmoid.
  package enum Transform: String, Sendable, CaseIterable {
    /// The score itself.
    case identity
    /// The logarithm of the score.
    case log
    /// The logarithm of the odds of the score.
    case logit
  }

  /// The name of the file in `assets` with the parameters, a line for each label.
  package var file: String
  /// The function that is applied to a score first.
  package var transform: Transform
  /// The score of labels without parameters and of scores below a label's minimum.
  package var defaultScore: Float

  /// Creates the declaration of a calibration.
  package init(file: String, transform: Transform = .identity, defaultScore: Float = 0) {
    (self.file, self.transform, self.defaultScore) = (file, transform, defaultScore)
  }
}
