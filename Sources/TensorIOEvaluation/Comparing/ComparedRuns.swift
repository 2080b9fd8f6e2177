package import TensorIOCore
internal import TensorIOTasks

/// The runs of two models on the same items; what they remember goes from item to item.
struct ComparedRuns {
  /// What came of a run, and how long it took.
  typealias Run = Result<(output: ModelOutput, timings: Timings), ModelError>

  private var a: ModelStream
  private var b: ModelStream

  init(_ a: Model, _ b: Model) {
    (self.a, self.b) = (ModelStream(a), ModelStream(b))
  }

  /// The first run of a model costs more than the others.
  mutating func warmUp(_ input: ModelInput) {
    _ = run(input, isReversed: false)
    a.reset()
    b.reset()
  }

  /// Runs both models on an item, the second one first where that is wanted.
  mutating func run(_ input: ModelInput, isReversed: Bool) -> (a: Run, b: Run) {
    let other = input.told(for: b.model, as: a.model)
    guard isReversed else {
      let first = Self.run(&a, input)
      return (first, Self.run(&b, other))
    }
    let second = Self.run(&b, other)
    return (Self.run(&a, input), second)
  }

  private static func run(_ stream: inout ModelStream, _ input: ModelInput) -> Run {
    Result { () throws(ModelError) in
      var timings = Timings()
      return (try stream.run(input, timings: &timings), timings)
    }
  }
}

extension ModelInput {
  /// What one model takes, for a model that calls its inputs otherwise.
  package func told(for model: Model, as other: Model) -> ModelInput {
    let (names, others) = (model.askedInputs.map(\.name), other.askedInputs.map(\.name))
    guard case .named(let values) = self, Set(names) != Set(others) else { return self }
    var renamed = values
    for name in others { renamed[name] = nil }
    for (name, other) in zip(names, others) { renamed[name] = values[other] }
    return .named(renamed)
  }
}

extension ComparedRuns.Run {
  /// The failure of a run, told of its model.
  func failure(of side: ComparedSide) -> ComparedItem.Failure? {
    if case .failure(let error) = self { ComparedItem.Failure(error, of: side) } else { nil }
  }
}
