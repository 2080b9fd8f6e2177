package import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// What to draw on the caller's image to show the result: shapes, masks, or a panel with labels and
  /// scores.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "street.tiobundle")
  /// let output = try model.run(ImageBuffer(contentsOf: "street.jpg"))
  /// for element in try output.overlay.elements { print(element) }
  /// ```
  ///
  /// The overlay is in pixels of the upright image. The settings of the bundle's task apply. The module
  /// TensorIODrawing draws it.
  ///
  /// - Throws: A ``ModelError`` if no model returned this output, or it lacks what the task needs.
  public var overlay: Overlay {
    get throws(ModelError) {
      let processed = try processed()
      return processed.result.overlay(labels: processed.labels)
    }
  }

  /// Returns the output with the result of the bundle's task, and the task's selection of labels.
  package func processed() throws(ModelError) -> (
    result: TaskPostprocessor.ProcessedOutput, labels: LabelSelection
  ) {
    guard let source else {
      throw ModelError(.output, .unsupported("decoding an output that no model returned"))
    }
    let postprocessor = try source.cached { (source) throws(ModelError) in
      try TaskPostprocessor(source)
    }
    return (try postprocessor.process(self), LabelSelection(source.task))
  }
}
