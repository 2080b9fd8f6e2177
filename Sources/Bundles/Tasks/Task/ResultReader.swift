package import TensorIOBundle
package import TensorIOCore

/// Reads the results of a model in a form, whatever its task is.
package struct ResultReader: Sendable {
  private let task: any ModelTask
  private let form: ResultForm

  /// Finds the task of a model: the declared one, or else the first that has results of the form and finds its outputs.
  ///
  /// - Throws: A ``ModelError`` if the model lacks the outputs of the task.
  package init(_ model: ModelInfo, _ form: ResultForm) throws(ModelError) {
    let description = model.bundle.description
    let declared = TaskRegistry.shared.format(for: description)?.task
    let candidates = [declared].compactMap(\.self) + TaskRegistry.shared.tasks
    let type = candidates.first { $0.forms(for: description).contains(form) }
    guard let type else {
      throw ModelError(
        .bundle, .unsupported("reading results as \(form)"), file: model.bundle.path)
    }
    (task, self.form) = (try type.init(model), form)
  }

  /// Finds the task of a model.
  package init(_ model: Model, _ form: ResultForm) throws(ModelError) {
    try self.init(model.info, form)
  }

  /// The names of the outputs that the results are read from.
  package var outputs: Set<String> { task.replacedOutputs }

  /// Returns a function that reads results, with settings of the bundle overridden.
  ///
  /// - Parameters:
  ///   - options: The settings.
  ///   - part: Returns the part of the reading that is wanted; `nil` if it is another one.
  /// - Returns: The part.
  /// - Throws: A ``ModelError`` if the task has another reading.
  package func reading<Value>(
    _ options: ResultOptions = ResultOptions(), _ part: (ResultReading) -> Value?
  ) throws(ModelError) -> Value {
    var task = task
    task.apply(options)
    if let value = task.reading(as: form).flatMap(part) { return value }
    throw ModelError(.bundle, .unsupported("reading results of the task as \(form)"))
  }

  /// Returns what reads boxes, and the bundle's minimum score.
  package func boxes(
    _ options: ResultOptions = ResultOptions()
  ) throws(ModelError) -> (minimumScore: Float, read: ResultReading.Function<[Detection]>) {
    try reading(options) { if case .boxes(let score, let read) = $0 { (score, read) } else { nil } }
  }

  /// Returns what reads masks of objects, and the bundle's minimum score.
  package func masks(
    _ options: ResultOptions = ResultOptions()
  ) throws(ModelError) -> (minimumScore: Float, read: ResultReading.Function<[InstanceMask]>) {
    try reading(options) { if case .masks(let score, let read) = $0 { (score, read) } else { nil } }
  }

  /// Returns what reads poses, and the names of their keypoints; `nil` for those of COCO.
  package func poses(
    _ options: ResultOptions = ResultOptions()
  ) throws(ModelError) -> (names: [String]?, read: ResultReading.Function<[Pose]>) {
    try reading(options) { if case .poses(let names, let read) = $0 { (names, read) } else { nil } }
  }

  /// Returns what reads lines of text.
  package func lines(
    _ options: ResultOptions = ResultOptions()
  ) throws(ModelError) -> ResultReading.Function<[TextLine]> {
    try reading(options) { if case .lines(let read) = $0 { read } else { nil } }
  }

  /// Returns what reads vectors, and how they are compared.
  package func embeddings() throws(ModelError) -> (
    options: EmbeddingOptions, read: ResultReading.Function<Embedding>
  ) {
    try reading { if case .embeddings(let options, let read) = $0 { (options, read) } else { nil } }
  }
}

extension Model {
  /// Returns what reads the embeddings of the model; `nil` if it computes none.
  package func embeddingReading() throws(ModelError) -> ResultReading.Function<Embedding>? {
    guard let form = [ResultForm.identities, .pairs].first(where: hasResults(as:)) else {
      return nil
    }
    return try ResultReader(self, form).embeddings().read
  }
}

extension ResultOptions {
  /// Returns options that select results by their scores, whatever the bundle's settings are.
  package static func results(minimumScore: Float, top: Int? = nil) -> ResultOptions {
    var options = ResultOptions()
    (options.minimumScore, options.top) = (minimumScore, top)
    return options
  }
}

extension ModelDescription {
  /// The forms in which results of the task can be read; empty without a task.
  package var resultForms: [ResultForm] {
    TaskRegistry.shared.format(for: self)?.task?.forms(for: self) ?? []
  }
}

extension Model {
  /// Whether the declared task has results of a form.
  package func hasResults(as form: ResultForm) -> Bool {
    bundle.description.resultForms.contains(form)
  }
}
