public import TensorIOCore
internal import TensorIOTasks

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
public struct Comparison: Sendable {
  /// How a comparison goes about its work.
  public struct Options: Sendable, Hashable {
    /// How much numbers may differ and still count as the same answer.
    public var tolerance = 0.0
    /// How many of the worst items are kept.
    public var worst = 10

    /// The same is what is equal; the ten worst items are kept.
    public init() {}
  }

  /// The first model.
  public let a: Model
  /// The second model.
  public let b: Model
  /// Which outputs are compared.
  public let pairs: [OutputPair]
  private let options: Options

  /// A comparison of two models; throws where their inputs or outputs do not fit each other.
  public init(
    _ a: Model, _ b: Model, _ options: Options = Options()
  ) throws(ModelError) {
    guard a.askedInputs.count == b.askedInputs.count else {
      let names = [a, b].map { $0.askedInputs.map { "'\($0.name)'" } }
      throw ModelError(
        .bundle, .layersDiffer(what: "inputs", first: names[0], second: names[1]))
    }
    (self.a, self.b, self.options) = (a, b, options)
    pairs = try OutputPair.pairs(a.outputs, b.outputs)
  }

  /// Takes items through both models.
  ///
  /// Inputs are read when their turn comes, as the first model takes them. After each item,
  /// `progress` is told what came of it and says whether to go on.
  public func run(
    _ count: Int, progress: (ComparedItem) -> Bool = { _ in true },
    input: (Int) throws(ModelError) -> ModelInput
  ) -> ComparisonResult {
    var sum = ComparisonSum(pairs, worst: options.worst)
    var runs = ComparedRuns(a, b)
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
    _ input: ModelInput, at index: Int, _ runs: inout ComparedRuns, _ sum: inout ComparisonSum
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
        index: index, outcome: .compared(differences), a: values.map(\.a.inWords),
        b: values.map(\.b.inWords))
    } catch {
      let failures = [(a, ComparedSide.a), (b, .b)].compactMap { $0.failure(of: $1) }
      let failure = ComparedItem.Failure(error)
      return ComparedItem(index: index, outcome: .failed(failures.isEmpty ? [failure] : failures))
    }
  }

  private func values(
    _ first: ModelOutput, _ second: ModelOutput
  ) throws(ModelError) -> [(a: LayerValue, b: LayerValue)] {
    var values: [(a: LayerValue, b: LayerValue)] = []
    for pair in pairs { values.append((try first[pair.a.name], try second[pair.b.name])) }
    return values
  }
}
