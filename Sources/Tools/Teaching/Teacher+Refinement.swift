public import TensorIOBundle
import TensorIOCore
import TensorIOSystem
import TensorIOTasks
import TensorIOTraining

extension Teacher {
  /// One of this many examples of each class is held out of the training.
  private static let heldOutInterval = 5

  /// Trains the backbone on the classes, by the mode `train` of its bundle, so that its embeddings distinguish them better.
  ///
  /// The bundle determines which layers are trained. One of five examples of each class is held out: after each epoch, a
  /// classifier is fitted to the embeddings of the others and evaluated on these. The backbone gets the weights of the epoch
  /// with the lowest loss, and keeps its own if none is lower. ``fit()`` then measures accuracy, temperature and the
  /// distance of unknown inputs on the examples that were not trained.
  ///
  /// A second call continues with the trained weights, and so does the teacher of a bundle that was refined. Such a bundle
  /// contains no inputs: add its examples again first. What was trained once is not held out later.
  ///
  /// ```swift
  /// import TensorIO
  /// import TensorIOTeaching
  ///
  /// var teacher = try Teacher(Model(at: "digits-trainable.tiobundle"))
  /// try teacher.add(contentsOf: "photos")
  /// let refinement = try teacher.refine(.init(maxEpochs: 10))
  /// print(refinement.before.accuracy, refinement.after.accuracy)
  /// try teacher.fit().export(to: "mine.tiobundle")
  /// ```
  ///
  /// An example that was trained has an influence on the weights that ``remove(_:)`` does not undo.
  ///
  /// - Parameter options: The settings.
  /// - Returns: The results before and after the training.
  /// - Throws: `ModelError` if the bundle has no mode `train` with the label as its only additional input, if it
  ///   distinguishes fewer classes, or if the input of an example is not available, such as that of a gallery.
  @discardableResult
  public mutating func refine(
    _ options: BackboneRefinement.Options = BackboneRefinement.Options()
  ) throws(ModelError) -> BackboneRefinement {
    try checkExamples()
    guard let backend = model.backend, let source = try backbone.trainable() else {
      throw ModelError(
        .bundle,
        backbone.record == nil
          ? .unmetRequirement("the backbone has no mode \"train\"; it cannot be refined")
          : .unmetRequirement(
            "the taught bundle has no description of a backbone with the mode \"train\"; to refine it, teach the original backbone again"
          ),
        file: model.bundle.path)
    }
    let trainer = try BackboneTrainer(source, classes, on: backend, options)
    var inputs: [ModelInput] = []
    for example in examples { inputs.append(try input(of: example)) }
    let known = examples.indices.filter { examples[$0].label != Self.unknownLabel }
    let indices = known.map { classes.firstIndex(of: examples[$0].label) ?? 0 }
    let isHeldOut = Self.heldOut(indices, isTrained: known.map { examples[$0].isTrained })
    guard isHeldOut.contains(true) else {
      throw ModelError(
        .input,
        .unmetRequirement(
          "the backbone was trained on all examples; add others, with which it can be measured"))
    }
    let split = RefinementSplit(indices, isHeldOut: isHeldOut, classCount: classes.count)
    let trained = known.indices.filter { !isHeldOut[$0] }

    var vectors = examples.map(\.embedding)
    let before = split.metrics(
      known.map { vectors[$0] }, regularization: self.options.regularization)
    var (best, refined) = ((epoch: 0, metrics: before), backbone)
    var epoch = 0
    while epoch < options.maxEpochs, epoch - best.epoch < options.patience {
      if Task.isCancelled { throw ModelError(.run, .cancelled) }
      epoch += 1
      try trainer.train(
        trained.map { (inputs[known[$0]], indices[$0]) }, epoch: epoch)
      let candidate = try trainer.backbone(on: backend)
      var next: [[Float]] = []
      for input in inputs { next.append(try candidate.model.run(input).embedding.values) }
      guard next.allSatisfy({ $0.allSatisfy(\.isFinite) && $0.contains { $0 != 0 } }) else { break }
      let metrics = split.metrics(
        known.map { next[$0] }, regularization: self.options.regularization)
      onProgress?(epoch, options.maxEpochs)
      guard metrics.loss < best.metrics.loss else { continue }
      (best, refined, vectors) = ((epoch, metrics), candidate, next)
    }
    let result = BackboneRefinement(
      epochCount: epoch, bestEpoch: best.epoch, trainedCount: trained.count, before: before,
      after: best.metrics)
    if best.epoch > 0 {
      try setBackbone(refined, vectors, inputs, trained: Set(trained.map { known[$0] }))
    }
    refinement = result
    return result
  }

  /// Returns whether each example is held out of a training: one of five of each class, and none that was trained before.
  private static func heldOut(_ classes: [Int], isTrained: [Bool]) -> [Bool] {
    var isHeldOut = [Bool](repeating: false, count: classes.count)
    for label in Set(classes) {
      let own = classes.indices.filter { classes[$0] == label }
      let candidates = own.filter { !isTrained[$0] }
      let count = (own.count + heldOutInterval - 1) / heldOutInterval
      let interval = candidates.count == own.count ? heldOutInterval : candidates.count / count
      for (place, index) in candidates.enumerated() where place.isMultiple(of: max(1, interval)) {
        isHeldOut[index] = true
      }
    }
    return isHeldOut
  }
}

/// Which examples a refinement trains, and which it measures.
private struct RefinementSplit {
  private let trained: [Int]
  private let heldOut: [Int]
  private let classes: [Int]
  private let classCount: Int

  init(_ classes: [Int], isHeldOut: [Bool], classCount: Int) {
    trained = classes.indices.filter { !isHeldOut[$0] }
    heldOut = classes.indices.filter { isHeldOut[$0] }
    (self.classes, self.classCount) = (classes, classCount)
  }

  /// Returns the results of a classifier of the trained examples on the others.
  func metrics(_ embeddings: [[Float]], regularization: Double?) -> Teacher.Metrics {
    let regression = LogisticRegression(
      matrix(embeddings, trained), trained.map { classes[$0] }, count: classCount,
      regularization: regularization ?? FittedHead.defaultRegularization)
    return Teacher.metrics(
      regression, matrix(embeddings, heldOut), heldOut.map { classes[$0] })
  }

  private func matrix(_ embeddings: [[Float]], _ rows: [Int]) -> Matrix {
    Matrix(
      columns: embeddings[0].count, values: rows.flatMap { embeddings[$0].map(Double.init) }
    ).normalized
  }
}
