public import TensorIOBundle
import TensorIOCore
public import TensorIOData

/// Data of whatever kind, to judge models by.
public enum EvaluationData: Sendable {
  /// Values of layers.
  case examples(ExampleDataset)
  /// Pictures with boxes.
  case detections(DetectionDataset)
  /// Pictures with masks.
  case masks(SegmentationDataset)
  /// A test of the original's.
  case testBundle(TestBundle)

  /// The items, whatever they are.
  public var items: any IndexedDataset {
    switch self {
    case .examples(let data): data
    case .detections(let data): data
    case .masks(let data): data
    case .testBundle(let data): data
    }
  }

  /// Where it lies.
  public var path: String {
    switch self {
    case .examples(let data): data.path
    case .detections(let data): data.path
    case .masks(let data): data.path
    case .testBundle(let data): data.path
    }
  }

  /// The data that a filter wants.
  public func filter(_ filter: DatasetFilter) throws(ModelError) -> EvaluationData {
    switch self {
    case .examples(let data): .examples(try data.filter(filter))
    case .detections(let data): .detections(try data.filter(filter))
    case .masks(let data): .masks(try data.filter(filter))
    case .testBundle(let data): .testBundle(try data.filter(filter))
    }
  }
}

extension EvaluationData {
  /// Which item is at an index.
  func reference(at index: Int) -> ItemReference {
    ItemReference(index: index, name: items.name(at: index), imagePath: imagePath(at: index))
  }

  private func imagePath(at index: Int) -> String? {
    switch self {
    case .examples(let data): data.imagePath(at: index)
    case .detections(let data): data.imagePath(at: index)
    case .masks(let data): data.imagePath(at: index)
    case .testBundle(let data):
      if case .file(let path) = data.source(at: index) { path } else { nil }
    }
  }

  /// Reads an item; pictures stay encoded.
  func example(at index: Int) throws(ModelError) -> EvaluationExample {
    let place = reference(at: index)
    switch self {
    case .examples(let data):
      let values = try data.values(at: index)
      return EvaluationExample(item: place, input: .named(values), groundTruth: .values(values))
    case .detections(let data):
      return EvaluationExample(
        item: place, input: .value(.bytes(try data.imageBytes(at: index))),
        groundTruth: .boxes(try data.boxes(at: index)))
    case .masks(let data):
      return EvaluationExample(
        item: place, input: .value(.bytes(try data.imageBytes(at: index))),
        groundTruth: .mask(try data.mask(at: index)))
    case .testBundle(let data):
      guard let picture = try data.imageBytes(at: index) else {
        let what = "pictures that have to be fetched first"
        throw ModelError(.input, .unsupported(what)).at(item: index)
      }
      return EvaluationExample(
        item: place, input: .value(.bytes(picture)), groundTruth: .labels(data.expected(at: index)))
    }
  }
}

extension ModelInput {
  /// The values of some inputs; the others are for another mode, or are the truth.
  func restricted(to names: Set<String>) -> ModelInput {
    guard case .named(let values) = self else { return self }
    return .named(values.filter { names.contains($0.key) })
  }
}
