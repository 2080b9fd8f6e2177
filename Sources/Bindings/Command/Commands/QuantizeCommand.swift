import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOEvaluation
import TensorIOLibrary
import TensorIOQuantization
import TensorIOSystem

/// `tensorio quantize`: writes a smaller bundle that is still good enough.
struct QuantizeCommand: Subcommand {
  static let output = Flag(
    "output", "BUNDLE", "Bundle to write (default: nothing is written)", shortName: "o")
  static let recipe = Flag(
    "recipe", "RECIPE",
    "float16, dynamic-int8, int8 or int4 (repeatable; default: int8, dynamic-int8, float16)",
    choices: QuantizationRecipe.allCases.map(\.rawValue))
  static let data = Flag("data", "DATA", "Labeled data on which every candidate is evaluated")
  static let calibration = Flag(
    "calibration", "DATA", "Data from which int8 learns ranges (default: some of --data)")

  static let helpPage = HelpPage(
    name: "quantize", summary: "Make a model smaller, and keep it good",
    usage: "[options] <bundle>",
    discussion: """
      The recipes are tried one after the other until a smaller model passes every --gate on the data.
      float16 halves a file and hardly changes results. dynamic-int8 suits networks of matrices, such as
      those for text; int8 is the fastest on images and learns ranges from data; int4 suits language
      models. If a quantized model fails a gate, groups of layers stay float, starting with those that matter
      most. If nothing passes, the closest candidate is named, nothing is written, and the exit code is 1.

      Gates compare with the original: 'top1>=-0.5pt' allows half a percentage point less, and
      'latency_p50<=baseline' requires that the model is not slower. <data> is as in `tensorio evaluate`.

      The model is a .tflite or .onnx file. Recipes other than float16 use ai-edge-quantizer and
      onnxruntime.quantization: install tensorio-runtime[quantize] with pip, and set TENSORIO_PYTHON to that
      interpreter unless the command comes from it.
      """,
    flags: [
      output, recipe, data, calibration, DecisionFlags.gate, ReportFiles.flag, Flag.force,
      Flag.textOrJSON,
    ]
      + [ModelOpener.threads] + ModelOpener.runtimeFlags,
    examples: [
      (
        "tensorio quantize digits.tiobundle --recipe float16 -o half.tiobundle",
        "Store the weights in half precision"
      ),
      (
        "tensorio quantize digits.tiobundle --data held-out/ --gate 'top1>=-0.5pt' -o small.tiobundle",
        "Find the smallest model that loses at most half a point"
      ),
      (
        "tensorio quantize digits.tiobundle --data held-out/ --gate 'top1>=-0.5pt' --report search.html",
        "Compare all candidates on a page, without writing a bundle"
      ),
      (
        "tensorio quantize smollm2.tiobundle --recipe int4 --data manual.txt --gate 'perplexity<=baseline+10%' -o small.tiobundle",
        "Make a language model small"
      ),
    ])

  private let bundle: String
  private let arguments: ParsedArguments
  private let reportFiles: ReportFiles
  private let outputPath: String?
  private let recipes: [QuantizationRecipe]
  private let data: String?
  private let calibration: String?
  private let decisions: DecisionFlags
  private let hasGates: Bool
  private let overwrites: Bool
  private let isJSON: Bool
  private let opener: ModelOpener
  private let evaluation: EvaluationRunner

  init(_ arguments: ParsedArguments) throws(OperationError) {
    bundle = try arguments.singlePositional("<bundle>", Self.helpPage)
    outputPath = arguments.value(Self.output)
    if let outputPath, !FilePath.removingTrailingSlashes(outputPath).hasSuffix(".tiobundle") {
      throw .usage("a bundle name must end in .tiobundle, such as -o small.tiobundle")
    }
    recipes = arguments.values(Self.recipe).compactMap(QuantizationRecipe.init(rawValue:))
    data = arguments.value(Self.data)
    calibration = arguments.value(Self.calibration)
    decisions = try DecisionFlags(arguments)
    for flag in [DecisionFlags.gate, ReportFiles.flag] where data == nil && arguments.has(flag) {
      throw .usage("--\(flag.name) requires --data")
    }
    self.arguments = arguments
    reportFiles = try ReportFiles(arguments)
    hasGates = arguments.has(DecisionFlags.gate)
    overwrites = arguments.has(.force)
    isJSON = arguments.value(.textOrJSON) == "json"
    opener = try ModelOpener(arguments)
    let threads = try arguments.integer(ModelOpener.threads, in: ModelOpener.threadRange)
    evaluation = EvaluationRunner(
      opening: opener, threads: threads, iterations: nil, filter: try Self.everything(),
      ignoresUnknownLabels: false, gallery: nil, normalizer: nil, attributes: nil, baseline: nil,
      maxFailures: nil, log: nil, preprocessedFolder: nil, resultOptions: [])
  }

  /// Returns a filter that selects all items.
  private static func everything() throws(OperationError) -> DatasetFilter {
    try OperationError.rethrowing { () throws(ModelError) in try DatasetFilter(parsing: []) }
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    try ModelOpener.rejectChain(bundle)
    if let outputPath, !overwrites, FileKind(at: outputPath) != nil {
      throw OperationError(ModelError(.run, .alreadyExists(outputPath)))
    }
    let dataset = try data.map { (path) throws(OperationError) in
      try ResolvedDataset(path, console)
    }
    defer { withExtendedLifetime(dataset) {} }
    let source = try opener.bundle(bundle, console)
    let model = try opener.model(source, console)
    let plan = try dataset.map { (dataset) throws(OperationError) in
      let plan = try evaluation.plan(source.path, dataset, console)
      try decisions.validate(for: plan, isFirst: false)
      return plan
    }
    var options = Quantization.Options()
    if !recipes.isEmpty { options.recipes = recipes }
    let interpreter = console.environment(Quantization.Options.variable)
    options.interpreter = interpreter ?? options.interpreter
    try requireData(for: options.recipes)
    let quantization = try OperationError.rethrowing { () throws(ModelError) in
      try Quantization(of: model, data: dataset?.path, calibratedOn: calibration, options)
    }
    var original: EvaluationResult?
    if !hasGates {
      console.info("tensorio: without --gate, the first smaller model that runs is kept")
    }
    if let plan, let dataset {
      console.info("tensorio: evaluating the original")
      original = try evaluate(plan, dataset, nil, console)
    }
    let result: QuantizationResult
    do {
      result = try quantization.run(
        progress: { candidate in console.info("tensorio: \(candidate.line)") },
        measuring: { bundle in
          guard let dataset else { return try trialRun(of: bundle, console) }
          let plan = try evaluation.plan(bundle.path, dataset, console)
          return try evaluate(plan, dataset, original, console)
        })
    } catch {
      throw OperationError(error)
    }
    if let outputPath, result.chosenCandidate != nil {
      try OperationError.rethrowing { () throws(ModelError) in
        try quantization.write(result, to: outputPath, overwriting: overwrites)
      }
    }
    if let original {
      let written = result.chosenCandidate == nil ? nil : outputPath
      var report = EvaluationReport(
        result.evaluations(original, output: written), arguments: arguments,
        command: Self.helpPage.name)
      report.overview = result.section(original)
      try reportFiles.write(report, contents: [], console)
    }
    report(result, original, console)
    return result.chosenCandidate == nil ? .partialFailure : .success
  }

  /// Throws a usage error if only recipes that measure ranges are left, and there are no data.
  private func requireData(for recipes: [QuantizationRecipe]) throws(OperationError) {
    guard data == nil, calibration == nil, recipes.allSatisfy(\.requiresCalibration) else {
      return
    }
    throw .usage("--recipe int8 requires --data or --calibration")
  }

  /// Evaluates a bundle, and compares it with the original.
  private func evaluate(
    _ plan: EvaluationPlan, _ dataset: ResolvedDataset, _ original: EvaluationResult?,
    _ console: Console
  ) throws(OperationError) -> EvaluationResult {
    var quiet = console
    quiet.isQuiet = true
    var outcome = try evaluation.evaluate(plan, dataset, index: 0, of: 1, quiet)
    guard outcome.exit != .interrupted else {
      throw OperationError("interrupted", "interrupted", exitCode: .interrupted)
    }
    try decisions.decide(&outcome.result, of: plan, baseline: original.map { ($0, bundle) })
    return outcome.result
  }

  /// Runs a bundle without data once on generated values.
  private func trialRun(
    of bundle: ModelBundle, _ console: Console
  ) throws(OperationError) -> EvaluationResult? {
    let model = try opener.model(bundle, console)
    guard let diagnostic = model.trialDiagnostics().first else { return nil }
    throw OperationError(diagnostic.code, diagnostic.message, exitCode: .invalidBundle)
  }

  private func report(
    _ result: QuantizationResult, _ original: EvaluationResult?, _ console: Console
  ) {
    let written = result.chosenCandidate == nil ? nil : outputPath
    if isJSON {
      console.writeJSONObject { result.write(original, output: written, to: &$0) }
    } else {
      console.printText(result.lines(original))
    }
    switch (result.chosenCandidate, written) {
    case (_?, _) where isJSON: break
    case (let candidate?, let path?): console.printText("wrote \(path): \(candidate.line)")
    case (let candidate?, nil): console.printText("found \(candidate.line); name a file with -o")
    case (nil, _):
      let closest = result.closest.map { "; the closest is \($0.line)" } ?? ""
      console.printError(
        OperationError(
          "gate-failed", "\(bundle): no smaller model passes\(closest)", exitCode: .partialFailure))
    }
  }
}

extension QuantizationCandidate {
  /// The candidate in one line.
  fileprivate var line: String {
    let layers = floatLayers.isEmpty ? "" : ", float layers: \(floatLayerText)"
    let size = byteCount.map { ", \($0) bytes" } ?? ""
    let outcome =
      failure.map { ": \($0)" }
      ?? evaluation?.verdict.failures.first.map { ": \($0.sentence)" } ?? ""
    return "\(recipe.rawValue)\(layers)\(size)\(outcome)"
  }
}
