package import TensorIOBundle
package import TensorIOCore
package import TensorIOData

/// A dataset of any kind that models can be evaluated on.
package enum EvaluationData: Sendable {
  /// Examples with values for layers.
  case examples(ExampleDataset)
  /// Images with boxes.
  case detections(DetectionDataset)
  /// Images with masks.
  case masks(SegmentationDataset)
  /// Pairs of images.
  case pairs(ImagePairs)
  /// The frames of videos with tracks.
  case tracks(TrackDataset)
  /// Questions about texts.
  case questions(QuestionDataset)
  /// Sentences with tagged words.
  case sentences(TaggedSentences)
  /// Images with their text.
  case textImages(TextImages)
  /// Recordings with what was said.
  case recordings(Recordings)
  /// Texts and prompts.
  case prompts(PromptDataset)
  /// A test of the original TensorIO library.
  case testBundle(TestBundle)

  /// The dataset.
  package var items: any IndexedDataset {
    switch self {
    case .examples(let data): data
    case .detections(let data): data
    case .masks(let data): data
    case .pairs(let data): data
    case .tracks(let data): data
    case .questions(let data): data
    case .sentences(let data): data
    case .textImages(let data): data
    case .recordings(let data): data
    case .prompts(let data): data
    case .testBundle(let data): data
    }
  }

  /// The path of the dataset.
  package var path: String {
    switch self {
    case .examples(let data): data.path
    case .detections(let data): data.path
    case .masks(let data): data.path
    case .pairs(let data): data.path
    case .tracks(let data): data.path
    case .questions(let data): data.path
    case .sentences(let data): data.path
    case .textImages(let data): data.path
    case .recordings(let data): data.path
    case .prompts(let data): data.path
    case .testBundle(let data): data.path
    }
  }

  /// Returns the items that match a filter.
  package func filter(_ filter: DatasetFilter) throws(ModelError) -> EvaluationData {
    switch self {
    case .examples(let data): .examples(try data.filter(filter))
    case .detections(let data): .detections(try data.filter(filter))
    case .masks(let data): .masks(try data.filter(filter))
    case .pairs(let data): .pairs(try data.filter(filter))
    case .tracks(let data): .tracks(try data.filter(filter))
    case .questions(let data): .questions(try data.filter(filter))
    case .sentences(let data): .sentences(try data.filter(filter))
    case .textImages(let data): .textImages(try data.filter(filter))
    case .recordings(let data): .recordings(try data.filter(filter))
    case .prompts(let data): .prompts(try data.filter(filter))
    case .testBundle(let data): .testBundle(try data.filter(filter))
    }
  }
}

extension EvaluationData {
  /// Returns the reference to the item at an index.
  func reference(at index: Int) -> ItemReference {
    ItemReference(
      index: index, name: items.name(at: index), imagePath: imagePath(at: index),
      attributes: items.attributes(at: index))
  }

  private func imagePath(at index: Int) -> String? {
    switch self {
    case .examples(let data): data.imagePath(at: index)
    case .detections(let data): data.imagePath(at: index)
    case .masks(let data): data.imagePath(at: index)
    case .pairs(let data): data.imagePath(at: index)
    case .tracks(let data): data.imagePath(at: index)
    case .textImages(let data): data.imagePath(at: index)
    case .questions, .sentences, .prompts, .recordings: nil
    case .testBundle(let data):
      if case .file(let path) = data.source(at: index) { path } else { nil }
    }
  }

  /// Reads the values of an item for the inputs of a model.
  package func input(at index: Int, for names: Set<String>) throws(ModelError) -> ModelInput {
    try example(at: index).input.restricted(to: names)
  }

  /// Reads an item; images stay encoded.
  func example(at index: Int) throws(ModelError) -> EvaluationExample {
    let reference = reference(at: index)
    switch self {
    case .examples(let data):
      let values = try data.values(at: index)
      return EvaluationExample(
        item: reference, input: .named(values), groundTruth: .values(values))
    case .detections(let data):
      return EvaluationExample(
        item: reference, input: .value(.bytes(try data.imageBytes(at: index))),
        groundTruth: .boxes(try data.boxes(at: index)))
    case .masks(let data):
      return EvaluationExample(
        item: reference, input: .value(.bytes(try data.imageBytes(at: index))),
        groundTruth: .mask(try data.mask(at: index)))
    case .pairs(let data):
      return EvaluationExample(
        item: reference, input: .value(.bytes(try data.imageBytes(at: index))),
        groundTruth: .values([:]))
    case .tracks(let data):
      return EvaluationExample(
        item: reference, input: .value(.bytes(try data.imageBytes(at: index))),
        groundTruth: .tracks(data.boxes(at: index), sequence: data.sequence(at: index)))
    case .questions(let data):
      let question = data.question(at: index)
      return EvaluationExample(
        item: reference, input: [question.text, question.context],
        groundTruth: .answers(question.answers))
    case .sentences(let data):
      return EvaluationExample(
        item: reference, input: data.text(at: index).modelInput,
        groundTruth: .entities(data.entities(at: index)))
    case .textImages(let data):
      return EvaluationExample(
        item: reference, input: .value(.bytes(try data.imageBytes(at: index))),
        groundTruth: .lines(data.lines(at: index)))
    case .recordings(let data):
      return EvaluationExample(
        item: reference, input: .value(.bytes(try data.audioBytes(at: index))),
        groundTruth: .transcript(data.text(at: index)))
    case .prompts(let data):
      let item = data.item(at: index)
      return EvaluationExample(
        item: reference, input: item.prompt.modelInput, groundTruth: .init(item))
    case .testBundle(let data):
      guard let image = try data.imageBytes(at: index) else {
        throw ModelError(.input, .unsupported("evaluating images at URLs")).at(item: index)
      }
      return EvaluationExample(
        item: reference, input: .value(.bytes(image)),
        groundTruth: .labels(data.expected(at: index)))
    }
  }
}

extension EvaluationExample.GroundTruth {
  fileprivate init(_ item: PromptDataset.Item) {
    switch item.expectation {
    case .text(let text): self = .continuations(prompt: item.prompt, [text], correct: nil)
    case .answers(let answers): self = .answers(answers)
    case .choices(let choices, let correct):
      self = .continuations(prompt: item.prompt, choices, correct: correct)
    }
  }
}

extension ModelInput {
  /// Returns the values of some inputs; the others are ground truth or inputs of another mode.
  func restricted(to names: Set<String>) -> ModelInput {
    guard case .named(let values) = self else { return self }
    return .named(values.filter { names.contains($0.key) })
  }
}
