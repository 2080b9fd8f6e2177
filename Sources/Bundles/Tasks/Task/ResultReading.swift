public import TensorIOBundle
public import TensorIOCore

/// How a task reads a model's outputs in a form that evaluation and chains understand: a function of the outputs.
///
/// An evaluation overrides the minimum score and the maximum number of results first (``ModelTask/apply(_:)``): metrics such
/// as the mean average precision consider every result, whatever the settings of the bundle are.
@nonexhaustive
public enum ResultReading: Sendable {
  /// A function of a model's outputs.
  public typealias Function<Value> = @Sendable (ModelOutput) throws(ModelError) -> Value

  /// Boxes, for ``ResultForm/boxes`` and ``ResultForm/tracks``; `minimumScore` is that of the bundle, for sample images.
  case boxes(minimumScore: Float, Function<[Detection]>)
  /// Masks of objects, for ``ResultForm/outlines``.
  case masks(minimumScore: Float, Function<[InstanceMask]>)
  /// Poses, for ``ResultForm/keypoints``; the names of the keypoints, `nil` for those of COCO.
  case poses(names: [String]?, Function<[Pose]>)
  /// Classes of pixels, for ``ResultForm/pixels``.
  case pixels(Function<Segmentation>)
  /// Vectors, for ``ResultForm/pairs`` and ``ResultForm/identities``.
  case embeddings(EmbeddingOptions, Function<Embedding>)
  /// Texts, for ``ResultForm/texts`` and ``ResultForm/continuations``.
  case texts(Function<[String]>)
  /// What was said, and the code of its language, for ``ResultForm/transcript``.
  case transcript(Function<(text: String, language: String)>)
  /// Words with their times and scores, for ``ResultForm/keywords``.
  case keywords(KeywordOptions, Function<Keywords>)
  /// Lines of text, for ``ResultForm/lines`` and ``ResultForm/line``.
  case lines(Function<[TextLine]>)
  /// Labeled sections of texts, for ``ResultForm/sections``.
  case sections(Function<[LabeledText]>)
}
