public import TensorIOBundle
public import TensorIOCore

extension Chain {
  /// Returns a model that runs the chain: its inputs are the chain's inputs, its outputs those of
  /// the last step.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Chain(at: "faces.tiochain").makeModel()
  /// let faces = try model.run(ImageBuffer(contentsOf: "party.jpg")).detections
  /// ```
  ///
  /// If the chain aligns or refines detections, the outputs also include the detector's, in pixels
  /// of the caller's image, and the outputs of the last step are lists with a value per detection.
  /// If the last step finds poses in regions, the outputs are the poses, in pixels of the caller's image.
  ///
  /// - Returns: The model.
  /// - Throws: A ``ModelError`` if no step runs a bundle, or no bundle uses one of the inputs.
  public func makeModel() throws(ModelError) -> Model {
    let interface = try ChainInterface(description, models.mapValues(\.info), at: path)
    return Model(interface.bundle, runner: ChainRunner(chain: self, interface: interface))
  }
}

/// Runs a chain as a model.
private struct ChainRunner: ModelRunner {
  let chain: Chain
  let interface: ChainInterface

  func run(_ input: ModelInput, timings: inout Timings) throws(ModelError) -> ModelOutput {
    let output = try chain.run(input)
    timings.steps = output.durations
    return try interface.output(of: output)
  }

  func run(_ input: ModelInput) throws(ModelError) -> ModelOutput {
    var timings = Timings()
    return try run(input, timings: &timings)
  }
}
