/// The labels of an output's values, and what becomes of their scores.
package struct OutputLabels: Sendable, Hashable {
  /// The labels by index; empty for an output without labels.
  package var names: [String]
  /// The function that makes probabilities of the model's scores.
  package var activation: ClassifierActivation
  /// Calibrates the scores; `nil` if they are the model's own.
  package var calibration: ScoreCalibration?

  /// Creates labels.
  package init(
    _ names: [String] = [], activation: ClassifierActivation = .none,
    calibration: ScoreCalibration? = nil
  ) {
    (self.names, self.activation, self.calibration) = (names, activation, calibration)
  }

  /// Whether the scores are the model's own.
  package var keepsScores: Bool { activation == .none && calibration == nil }

  /// Returns what becomes of the model's scores for one item.
  package func converted(_ scores: [Float]) -> [Float] {
    let activated = activation.activated(scores)
    return calibration?.calibrated(activated) ?? activated
  }
}

extension ModelBundle {
  /// Returns the labels of each output whose values are labeled by index; empty for other outputs.
  package func outputLabels(of description: ModelDescription) throws(ModelError) -> [OutputLabels] {
    try description.outputs.map { (layer) throws(ModelError) in
      guard layer.isLabeledByIndex else { return OutputLabels() }
      return OutputLabels(
        try labels(for: layer), activation: description.activation(of: layer),
        calibration: try calibration(of: layer, labeledBy: layer))
    }
  }

  /// Reads the calibration of an output's scores.
  ///
  /// - Parameters:
  ///   - layer: The output with the scores.
  ///   - labeled: The output whose labels the scores belong to; `nil` if there are no labels.
  /// - Returns: The calibration; `nil` if the output declares none.
  /// - Throws: ``ModelError`` if the file does not exist, is invalid, or does not have a line for
  ///   each label.
  package func calibration(
    of layer: Layer, labeledBy labeled: Layer?
  ) throws(ModelError) -> ScoreCalibration? {
    guard let description = layer.calibration else { return nil }
    do throws(ModelError) {
      let calibration = try folder.calibration(description)
      guard let labeled, let labelsFile = labeled.labelsFile else { return calibration }
      let count = try folder.labels(named: labelsFile).count
      guard let aligned = calibration.aligned(toLines: count, offset: labeled.labelOffset) else {
        throw ModelError(
          .bundle,
          .unreadableFile(
            BundleFolder.assetsName + "/" + description.file,
            detail: "it has \(calibration.sigmoids.count) lines for \(count) labels"), file: path)
      }
      return aligned
    } catch {
      throw error.at(layer: layer.name)
    }
  }
}

extension BundleFolder {
  /// Reads the file of a calibration.
  package func calibration(
    _ description: CalibrationDescription
  ) throws(ModelError) -> ScoreCalibration {
    let file = BundleFolder.assetsName + "/" + description.file
    let bytes = try bytes(of: file, limit: LabelsFile.maxBytes)
    do throws(ModelError) {
      return try ScoreCalibration(bytes, description, named: file)
    } catch {
      throw error.in(file: path)
    }
  }
}

extension Layer {
  /// How the layer's scores are calibrated; `nil` if they are the model's own.
  package var calibration: CalibrationDescription? {
    if case .array(let layer) = kind { layer.calibration } else { nil }
  }
}
