public import TensorIOBundle
public import TensorIOCore
import TensorIOTasks

/// Compares two models on the same items: a float and a quantized one, two runtimes, two trainings.
///
///     let comparison = try Comparison(try Model(float), try Model(quantized))
///     let result = comparison.run(pictures.count) { index in
///       .value(.bytes(try bytes(of: pictures[index])))
///     }
///     print(result.agreement ?? 0, result.largest, result.speedRatio ?? 0)
///
/// Items go through both models one after the other, each time in the other order, so that the
/// times can be compared, too. An item that fails in one of them is counted, and the others go on.
public struct ModelComparison: Sendable {
  /// How a comparison goes about its work.
  public struct Options: Sendable, Hashable {
    /// How much numbers may differ and still count as the same answer.
    public var tolerance = 0.0
    /// How many of the worst items are kept.
    public var maxWorstItems = 10

    /// The same is what is equal; the ten worst items are kept.
    public init() {}
  }

  /// The first model.
  public let modelA: Model
  /// The second model.
  public let modelB: Model
  /// Which outputs are compared.
  public let outputPairs: [OutputPair]
  private let options: Options

  /// A comparison of two models; throws where their inputs or outputs do not fit each other.
  public init(
    _ a: Model, _ b: Model, _ options: Options = Options()
  ) throws(ModelError) {
    guard a.callerInputs.count == b.callerInputs.count else {
      let names = [a, b].map { $0.callerInputs.map { "'\($0.name)'" } }
      throw ModelError(
        .bundle, .layerMismatch(what: "inputs", first: names[0], second: names[1]))
    }
    (self.modelA, self.modelB, self.options) = (a, b, options)
    outputPairs = try OutputPair.pairs(a.outputs, b.outputs)
  }

  /// Takes items through both models.
  ///
  /// Inputs are read when their turn comes, as the first model takes them. After each item,
  /// `progress` is told what came of it and says whether to go on.
  public func run(
    _ count: Int, progress: (ComparedItem) -> Bool = { _ in true },
    input: (Int) throws(ModelError) -> ModelInput
  ) -> ComparisonResult {
    var sum = ComparisonAccumulator(outputPairs, worst: options.maxWorstItems)
    var runs = PairedModelRuns(modelA, modelB)
    if count > 0, let first = try? input(0) { runs.warmUp(first) }
    for index in 0..<count {
      let item: ComparedItem
      do throws(ModelError) {
        item = compare(try input(index), at: index, &runs, &sum)
      } catch {
        item = ComparedItem(index: index, outcome: .failed([ComparedItem.Failure(error)]))
      }
      sum.add(item)
      guard progress(item) else { break }
    }
    return sum.result
  }

  private func compare(
    _ input: ModelInput, at index: Int, _ runs: inout PairedModelRuns, _ sum: inout ComparisonAccumulator
  ) -> ComparedItem {
    let (a, b) = runs.run(input, isReversed: !index.isMultiple(of: 2))
    do throws(ModelError) {
      let (first, second) = try (a.get(), b.get())
      let values = try values(first.output, second.output)
      var differences: [OutputDifference] = []
      for (a, b) in values {
        differences.append(try OutputDifference(a, b, tolerance: options.tolerance))
      }
      sum.add(first.timings, second.timings)
      return ComparedItem(
        index: index, outcome: .compared(differences), outputsA: values.map(\.a.shortDescription),
        outputsB: values.map(\.b.shortDescription))
    } catch {
      let failures = [(a, ComparisonSide.a), (b, .b)].compactMap { $0.failure(of: $1) }
      let failure = ComparedItem.Failure(error)
      return ComparedItem(index: index, outcome: .failed(failures.isEmpty ? [failure] : failures))
    }
  }

  private func values(
    _ first: ModelOutput, _ second: ModelOutput
  ) throws(ModelError) -> [(a: LayerValue, b: LayerValue)] {
    var values: [(a: LayerValue, b: LayerValue)] = []
    for pair in outputPairs { values.append((try first[pair.a.name], try second[pair.b.name])) }
    return values
  }
}

/// The runs of two models on the same items; what they remember goes from item to item.
struct PairedModelRuns {
  /// What came of a run, and how long it took.
  typealias Run = Result<(output: ModelOutput, timings: Timings), ModelError>

  private var a: StatefulModel
  private var b: StatefulModel

  init(_ a: Model, _ b: Model) {
    (self.a, self.b) = (StatefulModel(a), StatefulModel(b))
  }

  /// The first run of a model costs more than the others.
  mutating func warmUp(_ input: ModelInput) {
    _ = run(input, isReversed: false)
    a.reset()
    b.reset()
  }

  /// Runs both models on an item, the second one first where that is wanted.
  mutating func run(_ input: ModelInput, isReversed: Bool) -> (a: Run, b: Run) {
    let other = input.renamed(for: b.model, from: a.model)
    guard isReversed else {
      let first = Self.run(&a, input)
      return (first, Self.run(&b, other))
    }
    let second = Self.run(&b, other)
    return (Self.run(&a, input), second)
  }

  private static func run(_ stream: inout StatefulModel, _ input: ModelInput) -> Run {
    Result { () throws(ModelError) in
      var timings = Timings()
      return (try stream.run(input, timings: &timings), timings)
    }
  }
}

extension ModelInput {
  /// What one model takes, for a model that calls its inputs otherwise.
  package func renamed(for model: Model, from other: Model) -> ModelInput {
    let (names, others) = (model.callerInputs.map(\.name), other.callerInputs.map(\.name))
    guard case .named(let values) = self, Set(names) != Set(others) else { return self }
    var renamed = values
    for name in others { renamed[name] = nil }
    for (name, other) in zip(names, others) { renamed[name] = values[other] }
    return .named(renamed)
  }
}

extension PairedModelRuns.Run {
  /// The failure of a run, told of its model.
  func failure(of side: ComparisonSide) -> ComparedItem.Failure? {
    if case .failure(let error) = self { ComparedItem.Failure(error, of: side) } else { nil }
  }
}

/// An output of one model beside the output of another that it is compared with.
public struct OutputPair: Sendable, Hashable {
  /// The output of the first model.
  public let a: Layer
  /// The output of the second.
  public let b: Layer

  /// What the first model calls it.
  public var name: String { a.name }

  /// The outputs of two models, by name where all names are the same, else by order.
  ///
  /// Outputs of other counts or shapes cannot be compared; the error tells those of both.
  static func pairs(_ a: [Layer], _ b: [Layer]) throws(ModelError) -> [OutputPair] {
    let names = Set(a.map(\.name))
    let isNamed = names == Set(b.map(\.name)) && names.count == a.count
    let pairs = zip(a, b).map { first, second in
      OutputPair(a: first, b: isNamed ? b.first { $0.name == first.name } ?? second : second)
    }
    guard a.count == b.count, pairs.allSatisfy(\.isComparable) else {
      throw ModelError(
        .bundle, .layerMismatch(what: "outputs", first: a.map(\.shortDescription), second: b.map(\.shortDescription)))
    }
    return pairs
  }

  /// Whether both hold the same kind of thing, and as much of it, as far as that is known.
  private var isComparable: Bool {
    switch (a.kind, b.kind) {
    case (.image(let a), .image(let b)): a.width == b.width && a.height == b.height
    case (.array, .array), (.scalar, .scalar), (.array, .scalar), (.scalar, .array): hasEqualElementCount
    case (.string, .string): true
    default: false
    }
  }

  private var hasEqualElementCount: Bool {
    let hasOpenAxes = [a, b].contains { $0.shape.dimensions.dropFirst().contains(nil) }
    return hasOpenAxes || a.elementCount == b.elementCount
  }
}

extension Layer {
  /// The layer in a few words.
  fileprivate var shortDescription: String { "'\(name)' (\(typeName) \(shape))" }
}

extension LayerValue {
  /// How many numbers are written out.
  private static let maxShownNumbers = 4

  /// The value in a few words, to stand in a table.
  var shortDescription: String {
    switch self {
    case .classification(let classification):
      guard let best = classification.top(1).first else { return "nothing" }
      return "\(best.label) (\(Double(best.score).formatted(decimals: 3)))"
    case .numbers(let numbers):
      let shown = numbers.doubles.prefix(Self.maxShownNumbers).map { $0.formatted(decimals: 4) }
      let rest = numbers.count > shown.count ? " …" : ""
      return shown.joined(separator: " ") + rest
    case .strings(let texts):
      return texts.first.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
    case .image, .bytes, .list: return kindDescription
    }
  }
}
