public import TensorIOBundle

/// Classes that a ``Teacher`` has fitted, before they are written to a bundle.
public struct TaughtModel: Sendable {
  /// What was measured.
  public let report: TeachingReport
  let backbone: Backbone
  let record: TeachingRecord
  /// The classifier.
  package let head: FittedHead

  /// Writes a bundle with the classifier.
  ///
  /// Its model file is that of the backbone with the classifier as last layers. If unknown inputs are rejected, the last
  /// label is ``Teacher/unknownLabel``. Its card states the backbone, the data and the accuracy.
  ///
  /// The bundle is written atomically: after an interruption, `path` has the previous contents or the complete new bundle.
  ///
  /// - Parameters:
  ///   - path: The path of the new bundle.
  ///   - overwriting: Whether to replace an existing bundle.
  /// - Throws: `ModelError/alreadyExists` if `path` exists and `overwriting` is false, and
  ///   `ModelError/unwritable` if the bundle cannot be written.
  public func export(to path: String, overwriting: Bool = false) throws(ModelError) {
    let layers = head.head(maxDistance: report.unknown?.maxDistance)
    try TaughtBundle(backbone: backbone, record: record, layers: layers, card: report.card)
      .write(to: path, overwriting: overwriting)
  }
}
