import TensorIOBundle
import TensorIOCore

/// The conversion of a head's scores to probabilities, and the class that is no object.
struct ScoreActivation: Sendable {
  typealias Function = SegmentationOptions.Activation

  /// The position of the class that stands for no object.
  enum BackgroundClass: String, Sendable, CaseIterable {
    case none, first, last
  }

  let background: BackgroundClass
  private let function: Function

  /// Creates the activation of a bundle's task.
  ///
  /// - Parameters:
  ///   - context: The settings.
  ///   - function: The default of the head.
  ///   - comparesClasses: Whether the classes of a box exclude each other: one may be the background,
  ///     and softmax applies.
  /// - Throws: A ``ModelError`` if a setting does not apply to the head.
  init(
    _ context: HeadContext, default function: Function, comparesClasses: Bool = false
  ) throws(ModelError) {
    self.function = context.task.enumValue("activation") ?? function
    background = DetectionTask.backgroundClass.value(in: context.task)
    guard comparesClasses || self.function != .softmax && background == .none else {
      throw context.error(
        "the activation softmax and a background class require the head ssd or prior-decoded")
    }
  }

  /// Returns the probability of a score that does not depend on others.
  func single(_ score: Float) -> Float { function == .sigmoid ? sigmoid(score) : score }

  /// Calls a closure with each row whose best class has a probability of at least the threshold, and
  /// counts rows without a score.
  func forEachBest(
    of kernel: BestClassKernel, threshold: Float, in candidates: inout DetectionCandidates,
    _ body: (inout DetectionCandidates, _ row: Int, _ index: Int, _ score: Float) -> Void
  ) {
    let best = kernel.bestScores()
    for row in best.indices {
      guard best[row] > -.infinity else {
        candidates.nonfiniteCount += 1
        continue
      }
      let score =
        function == .softmax ? kernel.softmax(of: best[row], row: row) : single(best[row])
      guard score >= threshold, let index = kernel.index(of: best[row], row: row) else { continue }
      body(&candidates, row, index, score)
    }
  }
}
