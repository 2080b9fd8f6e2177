public import TensorIOBundle
public import TensorIOCore
import TensorIOTasks

/// Compares the outputs of two models on the same items, such as a float and a quantized model.
///
/// ```swift
/// import TensorIO
/// import TensorIOEvaluation
///
/// let comparison = try ModelComparison(
///   Model(at: "float.tiobundle"), Model(at: "quantized.tiobundle"))
/// let images = try ["cat.jpg", "dog.jpg"].map { try ImageBuffer(contentsOf: $0) }
/// let result = comparison.run(images.count) { index in images[index].modelInput }
/// print(result.agreementRate ?? 0, result.maxDifference, result.speedup ?? 0)
/// ```
///
/// Each item runs through both models in alternating order, so that latencies are comparable. An
/// item that fails is counted and does not stop the comparison.
public struct ModelComparison: Sendable {
  /// Options of a comparison.
  public struct Options: Sendable, Hashable {
    /// The maximum difference of two numbers that agree.
    ///
    /// With `nil`, floating-point numbers may differ by ``ModelComparison/defaultTolerance``,
    /// relative to the larger one if it is above 1, and all other elements must be equal.
    public var tolerance: Double?
    /// The maximum number of items with the largest differences that are kept.
    public var maxWorstItems = 10

    /// Creates options with the default tolerance and ten worst items.
    public init() {}
  }

  /// The maximum difference of floating-point numbers that agree, if none is specified.
  public static let defaultTolerance = 1e-4

  /// The first model.
  public let modelA: Model
  /// The second model.
  public let modelB: Model
  /// The compared outputs.
  package let outputPairs: [OutputPair]
  private let options: Options

  /// Creates a comparison.
  ///
  /// - Throws: `ModelError` with reason `layerMismatch` if the numbers of inputs or the outputs
  ///   of the models differ.
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

  /// Runs items through both models and returns the differences.
  ///
  /// - Parameters:
  ///   - count: The number of items.
  ///   - input: Returns the input of an item with the first model's input names.
  /// - Returns: The result for all items; items that fail are part of it.
  public func run(
    _ count: Int, input: (Int) throws(ModelError) -> ModelInput
  ) -> ComparisonResult {
    run(count, progress: { _ in true }, input: input)
  }

  /// Runs items through both models until `progress` ends the comparison.
  ///
  /// - Parameters:
  ///   - count: The number of items.
  ///   - progress: Called after each item; returns whether to continue.
  ///   - input: Returns the input of an item with the first model's input names.
  ///   - inspect: Called with the outputs of an item.
  /// - Returns: The result for all items that ran; items that fail are part of it.
  package func run(
    _ count: Int, progress: (ComparedItem) -> Bool,
    input: (Int) throws(ModelError) -> ModelInput,
    inspect: (Int, ModelOutput, ModelOutput) -> Void = { _, _, _ in }
  ) -> ComparisonResult {
    var accumulator = ComparisonAccumulator(outputPairs, worst: options.maxWorstItems)
    let runs = PairedModelRuns(modelA, modelB)
    if count > 0, let first = try? input(0) { runs.warmUp(first) }
    for index in 0..<count {
      let item: ComparedItem
      do throws(ModelError) {
        item = compare(try input(index), at: index, runs, &accumulator, inspect)
      } catch {
        item = ComparedItem(index: index, outcome: .failed([ComparedItem.Failure(error)]))
      }
      accumulator.add(item)
      guard progress(item) else { break }
    }
    return accumulator.result
  }

  private func compare(
    _ input: ModelInput, at index: Int, _ runs: PairedModelRuns,
    _ accumulator: inout ComparisonAccumulator,
    _ inspect: (Int, ModelOutput, ModelOutput) -> Void
  ) -> ComparedItem {
    let (a, b) = runs.run(input, isReversed: !index.isMultiple(of: 2))
    do throws(ModelError) {
      let (first, second) = try (a.get(), b.get())
      let values = try values(first.output, second.output)
      var differences: [OutputDifference] = []
      for (a, b) in values {
        differences.append(try OutputDifference(a, b, tolerance: options.tolerance))
      }
      accumulator.add(first.timings, second.timings)
      inspect(index, first.output, second.output)
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

/// The runs of two models on the same items; models that declare a state keep it between items.
struct PairedModelRuns {
  /// The output and timings of a run, or its error.
  typealias Run = Result<(output: ModelOutput, timings: Timings), ModelError>

  private let a: ModelStream
  private let b: ModelStream

  init(_ a: Model, _ b: Model) {
    (self.a, self.b) = (a.stream(), b.stream())
  }

  /// Runs both models once, since the first run is slower, and resets their state.
  func warmUp(_ input: ModelInput) {
    _ = run(input, isReversed: false)
    a.reset()
    b.reset()
  }

  /// Runs both models on an item, the second model first if `isReversed`.
  func run(_ input: ModelInput, isReversed: Bool) -> (a: Run, b: Run) {
    let other = input.renamed(for: b.model, from: a.model)
    guard isReversed else {
      let first = Self.run(a, input)
      return (first, Self.run(b, other))
    }
    let second = Self.run(b, other)
    return (Self.run(a, input), second)
  }

  private static func run(_ stream: ModelStream, _ input: ModelInput) -> Run {
    Result { () throws(ModelError) in
      var timings = Timings()
      return (try stream.run(input, timings: &timings), timings)
    }
  }
}

extension ModelInput {
  /// Returns the input with the names of another model's inputs, in order.
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
  /// Returns the failure of a run; `nil` if it succeeded.
  func failure(of side: ComparisonSide) -> ComparedItem.Failure? {
    if case .failure(let error) = self { ComparedItem.Failure(error, of: side) } else { nil }
  }
}

/// An output of one model and the output of another that it is compared with.
package struct OutputPair: Sendable, Hashable {
  /// The output of the first model.
  package let a: Layer
  /// The output of the second model.
  package let b: Layer

  /// The name of the output in the first model.
  package var name: String { a.name }

  /// Pairs the outputs of two models by name if all names are the same, otherwise by order.
  ///
  /// - Throws: `ModelError` with reason `layerMismatch` if counts, types or shapes differ.
  static func pairs(_ a: [Layer], _ b: [Layer]) throws(ModelError) -> [OutputPair] {
    let names = Set(a.map(\.name))
    let isNamed = names == Set(b.map(\.name)) && names.count == a.count
    let pairs = zip(a, b).map { first, second in
      OutputPair(a: first, b: isNamed ? b.first { $0.name == first.name } ?? second : second)
    }
    guard a.count == b.count, pairs.allSatisfy(\.isComparable) else {
      throw ModelError(
        .bundle,
        .layerMismatch(
          what: "outputs", first: a.map(\.shortDescription), second: b.map(\.shortDescription)))
    }
    return pairs
  }

  /// Whether both outputs have the same kind and, as far as declared, the same size.
  private var isComparable: Bool {
    switch (a.kind, b.kind) {
    case (.image(let a), .image(let b)): a.width == b.width && a.height == b.height
    case (.array, .array), (.scalar, .scalar), (.array, .scalar), (.scalar, .array):
      hasEqualElementCount
    case (.string, .string): true
    default: false
    }
  }

  private var hasEqualElementCount: Bool {
    let hasVariableLength = [a, b].contains { $0.shape.hasVariableLength }
    return hasVariableLength || a.elementCount == b.elementCount
  }
}

extension Layer {
  /// A short description for messages.
  fileprivate var shortDescription: String { "'\(name)' (\(typeName) \(shape))" }
}

extension LayerValue {
  /// The maximum number of numbers in a short description.
  private static let maxShownNumbers = 4

  /// A short description for tables.
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
      return texts.first ?? "nothing"
    case .image, .bytes, .tokens, .audio, .list: return kindDescription
    }
  }
}
