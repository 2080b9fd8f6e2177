internal import TensorIOCore

/// Averages what a model says of itself, such as its loss.
struct MeanJudge: Judge {
  /// The names of the outputs, in order.
  private let outputs: [String]
  private var means: [[RunningMean]] = []

  init(outputs: [String]) {
    self.outputs = outputs
  }

  /// The count of each output's numbers, and then they.
  func judge(
    _ output: ModelOutput, of example: EvaluationExample
  ) throws(ModelError) -> Judgement {
    var numbers: [Double] = []
    for name in outputs {
      let values = try output[name].figures
      numbers += [Double(values.count)] + values
    }
    return Judgement(numbers)
  }

  mutating func add(_ judgement: Judgement, of item: ItemPlace) throws(ModelError) {
    let values = try Self.lists(judgement, item)
    if means.isEmpty { means = values.map { $0.map { _ in RunningMean() } } }
    guard values.count == outputs.count, values.map(\.count) == means.map(\.count) else {
      throw ModelError(
        .output, .wrongCount(expected: means.joined().count, actual: values.joined().count))
    }
    for (output, list) in values.enumerated() {
      for (place, value) in list.enumerated() { means[output][place].add(value) }
    }
  }

  private static func lists(
    _ judgement: Judgement, _ item: ItemPlace
  ) throws(ModelError) -> [[Double]] {
    var rest = judgement.numbers[...]
    var lists: [[Double]] = []
    while let first = rest.popFirst() {
      guard let count = Int(exactly: first), count >= 0, count <= rest.count else {
        throw Judgement.unreadable(item)
      }
      lists.append(Array(rest.prefix(count)))
      rest = rest.dropFirst(count)
    }
    return lists
  }

  func report(into result: inout EvaluationResult) {
    result.figures += zip(outputs, means).filter { !$1.isEmpty }.map { name, means in
      Figure(name, values: means.compactMap(\.value))
    }
  }
}

extension LayerValue {
  /// The numbers of an output, be they labelled or not; none where it is something else.
  fileprivate var figures: [Double] {
    switch self {
    case .numbers(let numbers): numbers.doubles
    case .classification(let classification): classification.scores.map(Double.init)
    case .bytes, .strings, .image, .list: []
    }
  }
}
