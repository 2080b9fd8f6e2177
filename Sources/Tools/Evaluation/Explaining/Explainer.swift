public import TensorIOBundle
public import TensorIOCore
import TensorIOImage
import TensorIOSystem

/// Explains results of any model by changing its input: the parts whose change lowers the score are important.
///
/// ```swift
/// import TensorIO
/// import TensorIOEvaluation
///
/// let model = try Model(at: "digits.tiobundle")
/// let explanation = try Explainer(model).explain(ImageBuffer(contentsOf: "three.png").modelInput)
/// print(explanation.target, explanation.score)
/// if let map = explanation.heatMap { print(map.values.max() ?? 0) }
/// ```
///
/// The model can be of any kind and in any runtime; only its results are used. All random choices are seeded.
public struct Explainer: Sendable {
  /// Options of explanations.
  public struct Options: Sendable, Hashable {
    /// The method, which the input has to permit: ``Explanation/Method/occlusion`` or ``Explanation/Method/rise`` for images,
    /// ``Explanation/Method/deletion`` for texts, ``Explanation/Method/shapley`` for numbers; `nil` for the first of these.
    public var method: Explanation.Method?
    /// The label or number to explain; `nil` for the best label.
    public var target: String?
    /// The side of a window in pixels; `nil` for an eighth of the longer side of the image.
    public var window: Int?
    /// The distance of windows in pixels; `nil` for half of a window.
    public var stride: Int?
    /// The number of random masks.
    public var maskCount = 1000
    /// The number of cells of a mask along an axis.
    public var maskCells = 8
    /// The number of runs at the same time.
    public var concurrency = 1

    /// Creates options for the best label.
    public init() {}
  }

  /// The number of inputs that are run together.
  private static let batchSize = 16
  /// The maximum number of runs for one explanation.
  static let maxRuns = 100_000
  /// The maximum number of words or groups of words that are left out one by one.
  private static let maxWords = 256
  /// The shorter side of an image for a model that takes any size.
  private static let standardSide = 512
  /// The number of numbers that can be explained.
  private static let maxNumbers = 512
  /// The maximum number of rows of a background.
  private static let maxBackground = 50
  /// The probability that a cell of a mask is visible.
  private static let visibility = 0.5

  private let model: Model
  private let options: Options

  /// Creates an explainer.
  public init(_ model: Model, _ options: Options = Options()) {
    (self.model, self.options) = (model, options)
  }

  /// Explains the result for an item: an image, a text, or numbers.
  ///
  /// A model with several kinds of inputs is explained by its image, or else by its texts.
  ///
  /// - Parameters:
  ///   - input: The item.
  ///   - background: Items to compare numbers with; unused for images and texts.
  /// - Returns: The explanation.
  /// - Throws: A `ModelError` if the model has no score, the method does not apply to the input, or a run fails.
  public func explain(
    _ input: ModelInput, background: [ModelInput] = []
  ) throws(ModelError) -> Explanation {
    let values = try NamedInputs(input, of: model)
    let method = try method(for: values)
    let base = try model.run(values.input)
    let target = try ExplainedScore(model, base, target: options.target)
    let score = target.read(base)
    if let image = values.image {
      return try explain(image, in: values, target, method)
    }
    if !values.texts.isEmpty { return try explain(textsIn: values, target, score) }
    return try explain(numbersOf: values, background, target)
  }

  /// Returns the method for an input; throws if the chosen one does not apply to it.
  private func method(for values: NamedInputs) throws(ModelError) -> Explanation.Method {
    let (what, methods) =
      values.image != nil
      ? ("an image", Explanation.Method.forImages)
      : values.texts.isEmpty
        ? ("numbers", Explanation.Method.forNumbers) : ("a text", Explanation.Method.forTexts)
    guard let chosen = options.method else { return methods[0] }
    guard methods.contains(chosen) else {
      let names = methods.map(\.rawValue).joined(separator: " or ")
      throw ModelError(
        .input,
        .unmetRequirement(
          "the method '\(chosen.rawValue, as: "method")' does not apply to \(what, as: "input"); use \(names, as: "methods")"
        ))
    }
    return chosen
  }

  /// Returns the scores of changed inputs, which are made when they are run.
  private func scores(
    _ count: Int, _ target: ExplainedScore,
    input: @escaping @Sendable (Int) throws(ModelError) -> ModelInput,
    deliver: (Int, Double) -> Void
  ) throws(ModelError) {
    guard count <= Self.maxRuns else {
      throw ModelError(
        .input,
        .unmetRequirement(
          "an explanation may take \(Self.maxRuns) runs and this one takes \(count); choose a larger step, or fewer masks"
        ))
    }
    let chunks = (count + Self.batchSize - 1) / Self.batchSize
    let model = model
    try OrderedParallelMap.run(chunks, threads: options.concurrency) {
      chunk -> Result<[Double], ModelError> in
      Result { () throws(ModelError) in
        var inputs: [ModelInput] = []
        for index in chunk * Self.batchSize..<min(count, (chunk + 1) * Self.batchSize) {
          inputs.append(try input(index))
        }
        return try model.run(batch: inputs).map(target.read)
      }
    } deliver: { (chunk, result) throws(ModelError) -> OrderedParallelMap.Decision in
      for (offset, score) in try result.get().enumerated() {
        guard !score.isNaN else {
          throw ModelError(
            .output, .invalidValue("a changed input has no score \(target.name, as: "target")"))
        }
        deliver(chunk * Self.batchSize + offset, score)
      }
      return .proceed
    }
  }
}

// MARK: Images

extension Explainer {
  private func explain(
    _ image: (layer: Layer, image: ImageBuffer), in values: NamedInputs,
    _ target: ExplainedScore, _ method: Explanation.Method
  ) throws(ModelError) -> Explanation {
    let pixels = try MaskableImage(
      image.image, minSide: minSide(of: image.layer), layer: image.layer.name)
    let name = image.layer.name
    let base = try target.read(model.run(values.replacing(name, by: .image(pixels.image))))
    let (width, height) = (pixels.width, pixels.height)
    var map: [Double]
    let count: Int
    if method == .rise {
      let masks = RandomMasks(
        width: width, height: height, cells: max(1, min(options.maskCells, min(width, height))),
        probability: Self.visibility, seed: ShapleyValues.seed)
      count = max(1, options.maskCount)
      var sums = [Double](repeating: 0, count: width * height)
      try scores(count, target) { (index) throws(ModelError) in
        values.replacing(name, by: .image(try pixels.masked(by: masks.mask(at: index))))
      } deliver: { index, score in
        RandomMasks.add(score, of: masks.mask(at: index), to: &sums)
      }
      map = sums.map { $0 / (Double(count) * Self.visibility) }
    } else {
      let side = max(1, options.window ?? max(width, height) / 8)
      let windows = OcclusionMap.windows(
        width: width, height: height, side: side, stride: max(1, options.stride ?? (side + 1) / 2))
      count = windows.count
      var found = [Double](repeating: 0, count: count)
      try scores(count, target) { (index) throws(ModelError) in
        values.replacing(name, by: .image(try pixels.covering(windows[index])))
      } deliver: { index, score in
        found[index] = score
      }
      map = OcclusionMap.values(windows, scores: found, base: base, width: width, height: height)
    }
    var explanation = Explanation(
      method == .rise ? .rise : .occlusion, target, score: base, runCount: count)
    explanation.heatMap = Explanation.HeatMap(width: width, height: height, values: map)
    return explanation
  }

  /// Returns the shorter side from which on an image has more detail than the model uses.
  private func minSide(of layer: Layer) -> Int {
    guard case .image(let image) = layer.kind, image.width > 0, image.height > 0 else {
      return Self.standardSide
    }
    return 2 * max(image.width, image.height)
  }
}

// MARK: Texts

extension Explainer {
  private func explain(
    textsIn values: NamedInputs, _ target: ExplainedScore, _ score: Double
  ) throws(ModelError) -> Explanation {
    let words = values.texts.flatMap { name, text in
      WordGroup.groups(of: text, max: Self.maxWords).map { (name: name, text: text, group: $0) }
    }
    guard !words.isEmpty else {
      throw ModelError(.input, .unmetRequirement("explaining a text requires words"))
    }
    let empty = values.texts.reduce(values) { $0.with($1.name, text: "") }
    var found = [Double](repeating: 0, count: words.count)
    try scores(words.count, target) { (index) throws(ModelError) in
      let word = words[index]
      return values.with(word.name, text: word.group.removed(from: word.text)).input
    } deliver: { index, score in
      found[index] = score
    }
    var explanation = Explanation(.deletion, target, score: score, runCount: words.count)
    // Some models reject an empty text.
    explanation.baseScore = (try? model.run(empty.input)).map(target.read)
    explanation.parts = zip(words, found).map { word, changed in
      Explanation.Part(name: word.group.text, importance: score - changed)
    }
    return explanation
  }
}

// MARK: Numbers

extension Explainer {
  private func explain(
    numbersOf values: NamedInputs, _ background: [ModelInput], _ target: ExplainedScore
  ) throws(ModelError) -> Explanation {
    let numbers = values.numbers
    guard (1...Self.maxNumbers).contains(numbers.count) else {
      throw ModelError(
        .input,
        .unmetRequirement(
          "explaining requires an image, a text, or 1 to \(Self.maxNumbers) numbers as the input"))
    }
    var rows: [[Double]] = []
    for input in background.spread(Self.maxBackground) {
      let row = try NamedInputs(input, of: model).numbers.map(\.value)
      guard row.count == numbers.count else {
        throw ModelError(.input, .wrongCount(expected: numbers.count, actual: row.count))
      }
      rows.append(row)
    }
    guard !rows.isEmpty else {
      throw ModelError(
        .input, .unmetRequirement("explaining numbers requires a background to compare them with"))
    }
    let plan = ShapleyValues.plan(count: numbers.count)
    // Fewer rows for many subsets, so that an explanation takes seconds.
    rows = rows.spread(max(1, Self.maxRuns / 2 / plan.subsets.count))
    let item = numbers.map(\.value)
    var sums = [Double](repeating: 0, count: plan.subsets.count)
    let (rowCount, chosen) = (rows.count, rows)
    try scores(plan.subsets.count * rowCount, target) { (index) throws(ModelError) in
      let (subset, row) = (plan.subsets[index / rowCount], chosen[index % rowCount])
      return values.with(numbers: item.indices.map { subset[$0] ? item[$0] : row[$0] })
    } deliver: { index, score in
      sums[index / rowCount] += score
    }
    let results = sums.map { $0 / Double(rowCount) }
    let importances = ShapleyValues.values(plan, results)
    let isExact = numbers.count <= ShapleyValues.maxExactCount
    let (none, all) = isExact ? (results[0], results[results.count - 1]) : (results[0], results[1])
    var explanation = Explanation(
      .shapley, target, score: all, runCount: plan.subsets.count * rowCount)
    explanation.baseScore = none
    explanation.parts = zip(numbers, importances).map { number, importance in
      Explanation.Part(name: number.name, importance: importance, value: number.value)
    }
    return explanation
  }
}

extension Array {
  /// Returns at most `count` elements, spread over all.
  fileprivate func spread(_ count: Int) -> [Element] {
    guard self.count > count, count > 0 else { return self }
    return (0..<count).map { self[$0 * self.count / count] }
  }
}
