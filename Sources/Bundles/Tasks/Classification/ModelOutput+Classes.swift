public import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// The classes with the highest scores, in descending order of score.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "mobilenet.tiobundle")
  /// for entry in try model.run(ImageBuffer(contentsOf: "cat.jpg")).classes {
  ///   print(entry.label, entry.score)
  /// }
  /// ```
  ///
  /// The settings `top`, `threshold`, `allow` and `deny` of the bundle's task apply. For video, a
  /// ``ClassificationSmoother`` smooths the results over frames.
  ///
  /// - Throws: A ``ModelError`` if the model has no output with labels or the role `scores`.
  public var classes: [Classification.Entry] {
    get throws(ModelError) { try result(of: ClassificationTask.self) }
  }

  /// Returns the classes with the highest scores, with changes to the bundle's settings.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "mobilenet.tiobundle")
  /// let output = try model.run(ImageBuffer(contentsOf: "cat.jpg"))
  /// let best = try output.classes { $0.top = 3 }
  /// ```
  ///
  /// - Parameter adjust: Changes the selection of the bundle's task.
  /// - Returns: The selected classes, in descending order of score.
  /// - Throws: A ``ModelError`` if the model has no output with labels or the role `scores`.
  public func classes(
    _ adjust: (inout LabelSelection) -> Void
  ) throws(ModelError) -> [Classification.Entry] {
    try result(of: ClassificationTask.self) { adjust(&$0.options) }
  }

  /// The sections of a sound in which the same class has the highest score, in order; empty for
  /// models that do not take sound.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "sounds.tiobundle")
  /// let output = try model.run(AudioBuffer(contentsOf: "street.wav"))
  /// for interval in try output.timeline { print(interval.start, interval.label) }
  /// ```
  ///
  /// - Throws: A ``ModelError`` if the model has no output with labels or the role `scores`.
  public var timeline: [LabeledInterval] {
    get throws(ModelError) {
      guard source != nil else { return [] }
      let task = try task(ClassificationTask.self)
      return SoundClassification(self, named: task.output, task.entries(in:)).timeline
    }
  }
}
