import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIODrawing
import TensorIOEvaluation
import TensorIOImage
import TensorIOTasks

/// Draws the masks and poses of the worst and the best items of an evaluation, which a report does not contain.
enum SampleDrawings {
  /// Returns the images with the model's results by item name; empty for results that the page draws itself.
  static func images(
    of result: EvaluationResult, _ plan: EvaluationPlan, _ opener: ModelOpener, _ console: Console
  ) -> [String: ImageBuffer] {
    guard plan.hasDrawnResults, let model = try? opener.model(plan.bundle, console),
      let postprocessor = try? TaskPostprocessor(model)
    else { return [:] }
    var images: [String: ImageBuffer] = [:]
    for sample in result.samples.worst + result.samples.best {
      guard let path = sample.imagePath, let source = try? ImageBuffer(contentsOf: path),
        let output = try? model.run(source.modelInput),
        let processed = try? postprocessor.process(output)
      else { continue }
      images[sample.name] = try? ResultRenderer(
        sourceImage: source, result: processed,
        labels: LabelSelection(plan.bundle.description.task)
      ).image
    }
    return images
  }
}
