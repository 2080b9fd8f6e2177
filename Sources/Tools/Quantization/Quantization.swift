public import TensorIOBundle
public import TensorIOCore
import TensorIOData
public import TensorIOEvaluation
import TensorIOSystem
import TensorIOTasks

/// The search for a smaller model that is still good enough.
///
/// A quantized model can be at chance without a sign of it, so each one is evaluated. If the gates fail, one
/// group of consecutive layers after the other stays float, then the groups that matter most together. A single
/// layer among quantized ones gains nothing.
///
/// ```swift
/// import TensorIO
/// import TensorIOEvaluation
/// import TensorIOQuantization
///
/// let quantization = try Quantization(of: Model(at: "digits.tiobundle"), data: "held-out")
/// let result = try quantization.run(gates: [Gate("top1>=-0.5pt")])
/// if result.chosenCandidate != nil { try quantization.write(result, to: "small.tiobundle") }
/// ```
public final class Quantization {
  /// What is tried.
  public struct Options: Sendable {
    /// The recipes, in the order in which they are tried.
    public var recipes: [QuantizationRecipe] = [.int8, .dynamicInt8, .float16]
    /// The number of groups of layers.
    public var groupCount = 8
    /// The maximum number of groups that stay float together.
    public var maxFloatGroups = 4
    /// The maximum number of runs from which ranges are learned.
    public var calibrationCount = 100
    /// The Python interpreter with the packages that quantize; `TENSORIO_PYTHON`, or else `python3`.
    public var interpreter = Platform.environment(variable) ?? "python3"

    /// The environment variable with the interpreter.
    package static let variable = "TENSORIO_PYTHON"

    /// Creates options that try recipes from the smallest to the safest.
    public init() {}
  }

  /// Evaluates a bundle, with the outcomes of the gates in the result; `nil` if there are no data.
  package typealias Measure = (ModelBundle) throws -> EvaluationResult?

  private let model: Model
  private let data: String?
  private let options: Options
  private let quantizer: ModelQuantizer
  private let folder: TemporaryDirectory
  private let calibration: CalibrationFolder?
  private var candidates: [QuantizationCandidate] = []

  private var bundle: ModelBundle { model.bundle }

  /// Prepares a search.
  ///
  /// - Parameters:
  ///   - model: The opened model.
  ///   - data: The path of labeled data for the gates; `nil` for none.
  ///   - calibration: The path of data from which ranges are learned; `nil` uses some of `data`.
  ///   - options: What is tried.
  /// - Throws: A `ModelError` if the format cannot be quantized, or the data cannot be read.
  public init(
    of model: Model, data: String?, calibratedOn calibration: String? = nil,
    _ options: Options = Options()
  ) throws(ModelError) {
    guard let backend = model.backend as? any WeightStoringBackend, !model.bundle.isPlaceholder
    else {
      throw ModelError(
        .runtime,
        .unsupported("quantizing a model of the backend '\(model.bundle.backend.rawValue)'"),
        file: model.bundle.path)
    }
    folder = try AtomicDirectoryWriter.mapFileErrors(at: "the temporary folder") {
      () throws(FileError) in try TemporaryDirectory(prefix: "tensorio-quantize")
    }
    (self.model, self.data, self.options) = (model, data, options)
    let needsRanges = options.recipes.contains(where: \.requiresCalibration)
    if needsRanges, let path = calibration ?? data {
      let items = try EvaluationPlan(model.bundle, dataAt: path).data
      self.calibration = try CalibrationFolder(
        items, model, limit: options.calibrationCount, at: "\(folder.path)/items")
    } else {
      self.calibration = nil
    }
    quantizer = try ModelQuantizer(
      model.bundle, on: backend, self.calibration, options.interpreter)
  }

  deinit { folder.remove() }

  /// Tries recipes until a smaller model passes.
  ///
  /// - Parameter gates: The conditions on the metrics of the data, such as `top1>=-0.5pt`.
  /// - Returns: What was tried and found.
  /// - Throws: A `ModelError` if a package is missing, a metric is unknown, or the original cannot be evaluated.
  public func run(gates: [Gate] = []) throws(ModelError) -> QuantizationResult {
    do {
      let original = try evaluate(bundle)
      return try run { bundle in
        guard var result = try self.evaluate(bundle) else { return nil }
        try result.evaluate(gates, baseline: original)
        return result
      }
    } catch let error as ModelError {
      throw error
    } catch {
      throw ModelError(.run, .quantizerFailed("\(error)"))
    }
  }

  private func evaluate(_ bundle: ModelBundle) throws(ModelError) -> EvaluationResult? {
    guard let data else { return nil }
    let plan = try EvaluationPlan(bundle, dataAt: data)
    return try Evaluation(plan) { (mode) throws(ModelError) in
      try self.open(bundle, mode)
    }.run()
  }

  private func open(_ bundle: ModelBundle, _ mode: ModelMode) throws(ModelError) -> Model {
    guard let backend = model.backend else { return model }
    return try Model(bundle, on: backend, options: OpeningOptions(mode: mode))
  }

  /// Tries recipes until a smaller model passes.
  ///
  /// - Parameters:
  ///   - progress: Called after each candidate.
  ///   - measure: Evaluates a bundle.
  /// - Returns: What was tried and found.
  /// - Throws: A `ModelError` if a package is missing, or an error of `measure` that is not one of a model.
  package func run(
    progress: (QuantizationCandidate) -> Void = { _ in }, measuring measure: Measure
  ) throws -> QuantizationResult {
    var chosen: QuantizationCandidate?
    for recipe in options.recipes where chosen == nil {
      if recipe.requiresCalibration, calibration == nil { continue }
      let first = try attempt(recipe, [], measure, progress)
      chosen = first.passes ? first : nil
      // A model that cannot be evaluated does not become better by leaving layers float.
      guard chosen == nil, recipe.requiresPackages, first.evaluation != nil,
        let (layers, found) = try searchGroups(recipe, measure, progress)
      else { continue }
      chosen = found
      // Float weights can take most of the space that was saved.
      guard try quantizer.canCompactFloatLayers() else { continue }
      let compact = try attempt(recipe, layers, isCompact: true, measure, progress)
      if compact.passes, compact.size < found.size { chosen = compact }
    }
    return QuantizationResult(
      candidates: candidates, chosen: chosen?.number, originalByteCount: quantizer.byteCount,
      calibrationCount: calibration?.count ?? 0)
  }

  private func searchGroups(
    _ recipe: QuantizationRecipe, _ measure: Measure, _ progress: (QuantizationCandidate) -> Void
  ) throws -> (layers: [ModelQuantizer.Layer], candidate: QuantizationCandidate)? {
    let groups = Self.groups(try quantizer.layers(), options.groupCount)
    guard groups.count > 1 else { return nil }
    var tried: [(layers: [ModelQuantizer.Layer], candidate: QuantizationCandidate)] = []
    // The last layers matter most often.
    for group in groups.reversed() {
      tried.append((group, try attempt(recipe, group, measure, progress)))
    }
    let passing = tried.filter(\.candidate.passes)
    if let best = passing.min(by: { $0.candidate.size < $1.candidate.size }) { return best }
    let ordered = tried.enumerated().sorted {
      ($0.element.candidate.shortfall, $0.offset) < ($1.element.candidate.shortfall, $1.offset)
    }.map(\.element.layers)
    for count in 2..<max(3, min(options.maxFloatGroups, ordered.count - 1) + 1) {
      let kept = Set(ordered.prefix(count).joined())
      let layers = groups.joined().filter(kept.contains)
      let candidate = try attempt(recipe, Array(layers), measure, progress)
      if candidate.passes { return (Array(layers), candidate) }
    }
    return nil
  }

  /// Divides layers into groups of almost equal size.
  static func groups<Element>(_ layers: [Element], _ count: Int) -> [[Element]] {
    let count = min(count, layers.count)
    return (0..<count).map { index in
      Array(layers[layers.count * index / count..<layers.count * (index + 1) / count])
    }
  }

  // MARK: Candidates

  /// Makes and evaluates a candidate; keeps its models if it passes.
  private func attempt(
    _ recipe: QuantizationRecipe, _ layers: [ModelQuantizer.Layer], isCompact: Bool = false,
    _ measure: Measure, _ progress: (QuantizationCandidate) -> Void
  ) throws -> QuantizationCandidate {
    var candidate = QuantizationCandidate(
      number: candidates.count, recipe: recipe, floatLayers: layers.map(\.name),
      hasCompactFloatLayers: isCompact)
    let path = path(of: candidate.number)
    do {
      let size = try writeBundle(recipe, layers, isCompact: isCompact, to: path)
      candidate.byteCount = size
      if size >= quantizer.byteCount {
        candidate.failure = "the model is not smaller"
      } else {
        candidate.evaluation = try measure(
          ModelBundle(at: path, trust: .unrestricted, reader: .standard))
      }
    } catch {
      guard let failure = Self.failure(of: error) else { throw error }
      candidate.failure = failure
    }
    if !candidate.passes { FileSystem.remove(path) }
    candidates.append(candidate)
    progress(candidate)
    return candidate
  }

  /// Returns why a candidate cannot be used; `nil` for an error that every other candidate would have, too.
  private static func failure(of error: any Error) -> String? {
    let error = OperationError(error)
    let isGeneral =
      [.usage, .interrupted].contains(error.exitCode)
      || [ModelError.quantizerMissing, ModelError.unknownMetric].map(\.rawValue).contains(
        error.code)
    return isGeneral ? nil : error.message
  }

  private func path(of number: Int) -> String { "\(folder.path)/\(number).tiobundle" }

  /// Writes a bundle with smaller models, and returns their size.
  private func writeBundle(
    _ recipe: QuantizationRecipe, _ layers: [ModelQuantizer.Layer], isCompact: Bool,
    to path: String
  ) throws(ModelError) -> Int {
    var models: [String: String] = [:]
    defer { models.values.forEach(FileSystem.remove) }
    for (number, name) in quantizer.files.enumerated() {
      // Programs know the format of a file by the end of its name.
      let ending = name.split(separator: ".").last.map(String.init) ?? ""
      let file = "\(folder.path)/model-\(number).\(ending)"
      models[name] = file
      try quantizer.write(name, recipe, keepingFloat: layers, isCompact: isCompact, to: file)
    }
    try write(models, files: [:], to: path, overwriting: false)
    return models.values.reduce(0) { $0 + (FileStamp($1)?.byteCount ?? 0) }
  }

  /// Writes a copy of the bundle with other models.
  private func write(
    _ models: [String: String], files: [String: [UInt8]], to path: String, overwriting: Bool
  ) throws(ModelError) {
    let copy = BundleCopy(
      of: bundle, replacing: files, models: quantizer.files,
      omitting: Array(quantizer.companions))
    try AtomicDirectoryWriter.write(path, overwriting: overwriting) {
      (staging) throws(ModelError) in
      try copy.write(to: staging) { (name, target) throws(ModelError) in
        try AtomicDirectoryWriter.mapFileErrors(at: target) { () throws(FileError) in
          try FileSystem.copy(models[name] ?? "", to: target)
        }
      }
    }
  }

  // MARK: Writing

  /// Writes the bundle that was found: the expected outputs of its examples are those of the smaller model, and
  /// its card begins with what was done.
  ///
  /// - Parameters:
  ///   - result: The result of this search; nothing is written if it found nothing.
  ///   - path: The path of the new bundle.
  ///   - overwriting: Whether an existing bundle is replaced.
  /// - Throws: A `ModelError` if the bundle cannot be written.
  public func write(
    _ result: QuantizationResult, to path: String, overwriting: Bool = false
  ) throws(ModelError) {
    guard let candidate = result.chosenCandidate else { return }
    let source = self.path(of: candidate.number)
    let bundle = try ModelBundle(at: source, trust: .unrestricted, reader: .standard)
    let regenerator = ExampleRegenerator(
      bundle: self.bundle, model: try open(bundle, bundle.description.defaultMode))
    let provenance = result.provenance(of: self.bundle)
    let files = [
      BundleFolder.descriptionName: try regenerator.regeneratedDescription(),
      BundleCopy.cardName: BundleCopy.card(of: self.bundle, provenance: provenance),
    ]
    let models = quantizer.files.map { ($0, "\(source)/\($0)") }
    try write(
      Dictionary(models) { $1 }, files: files, to: path, overwriting: overwriting)
  }
}
