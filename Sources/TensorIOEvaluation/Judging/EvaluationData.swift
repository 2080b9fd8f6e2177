public import TensorIOCore
public import TensorIOData

/// Data of whatever kind, to judge models by.
public enum EvaluationData: Sendable {
  /// Values of layers.
  case examples(DataSet)
  /// Pictures with boxes.
  case detections(DetectionSet)
  /// Pictures with masks.
  case masks(MaskSet)
  /// A test of the original's.
  case test(TestBundle)

  /// The items, whatever they are.
  public var items: any DataItems {
    switch self {
    case .examples(let data): data
    case .detections(let data): data
    case .masks(let data): data
    case .test(let data): data
    }
  }

  /// Where it lies.
  public var path: String {
    switch self {
    case .examples(let data): data.path
    case .detections(let data): data.path
    case .masks(let data): data.path
    case .test(let data): data.path
    }
  }

  /// The data that a filter wants.
  public func filter(_ filter: DataFilter) throws(ModelError) -> EvaluationData {
    switch self {
    case .examples(let data): .examples(try data.filter(filter))
    case .detections(let data): .detections(try data.filter(filter))
    case .masks(let data): .masks(try data.filter(filter))
    case .test(let data): .test(try data.filter(filter))
    }
  }
}

extension EvaluationData {
  /// Which item is at an index.
  func place(at index: Int) -> ItemPlace {
    ItemPlace(index: index, name: items.name(at: index), picture: picturePath(at: index))
  }

  private func picturePath(at index: Int) -> String? {
    switch self {
    case .examples(let data): data.picturePath(at: index)
    case .detections(let data): data.picturePath(at: index)
    case .masks(let data): data.picturePath(at: index)
    case .test(let data):
      if case .file(let path) = data.source(at: index) { path } else { nil }
    }
  }

  /// Reads an item; pictures stay encoded.
  func example(at index: Int) throws(ModelError) -> EvaluationExample {
    let place = place(at: index)
    switch self {
    case .examples(let data):
      let values = try data.values(at: index)
      return EvaluationExample(place: place, input: .named(values), truth: .values(values))
    case .detections(let data):
      return EvaluationExample(
        place: place, input: .value(.bytes(try data.picture(at: index))),
        truth: .boxes(try data.boxes(at: index)))
    case .masks(let data):
      return EvaluationExample(
        place: place, input: .value(.bytes(try data.picture(at: index))),
        truth: .mask(try data.mask(at: index)))
    case .test(let data):
      guard let picture = try data.picture(at: index) else {
        let what = "pictures that have to be fetched first"
        throw ModelError(.input, .unsupported(what)).at(item: index)
      }
      return EvaluationExample(
        place: place, input: .value(.bytes(picture)), truth: .labels(data.expected(at: index)))
    }
  }
}

extension ModelInput {
  /// The values of some inputs; the others are for another mode, or are the truth.
  func only(_ names: Set<String>) -> ModelInput {
    guard case .named(let values) = self else { return self }
    return .named(values.filter { names.contains($0.key) })
  }
}
