import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIODrawing
import TensorIOEvaluation
import TensorIOImage
import TensorIOTasks

/// The texts, the sounds, and the images with masks and poses of the items that a page shows, which a report does not contain.
struct SampleContents {
  private let plan: EvaluationPlan
  /// Finds where the results of an item are; `nil` if they are not located in it, or the model cannot be opened.
  private let model: (model: Model, postprocessor: TaskPostprocessor)?

  /// Returns what the samples of a result show, and the items that changed, by item name.
  static func contents(
    of result: EvaluationResult, _ plan: EvaluationPlan, _ opener: ModelOpener, _ console: Console
  ) -> [String: SampleContent] {
    let contents = SampleContents(plan, opener, console)
    let samples = result.samples.worst + result.samples.best
    let flips = result.comparison.map {
      ($0.regressions ?? []).prefix(count) + $0.fixes.prefix(count)
    }
    let names = Set(samples.map(\.name) + (flips ?? []).map(\.name))
    return plan.indices(of: names).compactMapValues(contents.content)
  }

  private static let count = SamplePredictions.maxCount

  private init(_ plan: EvaluationPlan, _ opener: ModelOpener, _ console: Console) {
    self.plan = plan
    guard plan.locatesResults, let model = try? opener.model(plan.bundle, console),
      let postprocessor = try? TaskPostprocessor(model)
    else {
      model = nil
      return
    }
    self.model = (model, postprocessor)
  }

  private func content(at index: Int) -> SampleContent? {
    if let path = plan.imagePath(at: index) { return drawing(path) }
    let inputs = plan.bundle.description.resolved(for: .predict).inputs
    guard let input = try? plan.input(at: index, of: inputs) else { return nil }
    return SampleContent(input, processed(input)?.result)
  }

  private func processed(_ input: ModelInput) -> TaskPostprocessor.ProcessedOutput? {
    guard let model, let output = try? model.model.run(input) else { return nil }
    return try? model.postprocessor.process(output)
  }

  private func drawing(_ path: String) -> SampleContent? {
    guard model != nil, let source = try? ImageBuffer(contentsOf: path),
      let processed = processed(source.modelInput)
    else { return nil }
    let renderer = ResultRenderer(
      sourceImage: source, result: processed,
      labels: LabelSelection(plan.bundle.description.task))
    return (try? renderer.image).map(SampleContent.image)
  }
}
