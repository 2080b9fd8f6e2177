public import TensorIOBundle
public import TensorIOCore

/// How the results of a task become comparable with ground truth: a function of the outputs.
///
/// An evaluation overrides the minimum score and the maximum number of results first (``ModelTask/apply(_:)``): metrics such
/// as the mean average precision consider every result, whatever the settings of the bundle are.
@nonexhaustive
public enum TaskComparison: Sendable {
  /// A function of a model's outputs.
  public typealias Reading<Value> = @Sendable (ModelOutput) throws(ModelError) -> Value

  /// Boxes, for ``TaskTruth/boxes`` and ``TaskTruth/tracks``; `minimumScore` is that of the bundle, for sample images.
  case boxes(minimumScore: Float, Reading<[Detection]>)
  /// Masks of objects, for ``TaskTruth/outlines``.
  case masks(minimumScore: Float, Reading<[InstanceMask]>)
  /// Poses, for ``TaskTruth/keypoints``; the names of the keypoints, `nil` for those of COCO.
  case poses(names: [String]?, Reading<[Pose]>)
  /// Classes of pixels, for ``TaskTruth/pixels``.
  case pixels(Reading<Segmentation>)
  /// Vectors, for ``TaskTruth/pairs`` and ``TaskTruth/identities``.
  case embeddings(EmbeddingOptions, Reading<Embedding>)
  /// Texts, the best first, for ``TaskTruth/texts``.
  case texts(Reading<[String]>)
  /// Labeled sections of texts, for ``TaskTruth/sections``.
  case sections(Reading<[LabeledText]>)
}
