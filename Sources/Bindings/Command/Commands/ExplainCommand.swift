import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOEvaluation
import TensorIOImage
import TensorIOLibrary
import TensorIOSystem
import TensorIOTasks

/// `tensorio explain`: shows what a result depends on.
struct ExplainCommand: Subcommand {
  static let method = Flag(
    "method", "METHOD",
    "Method: occlusion or rise for images, deletion for texts, shapley for numbers, permutation for --data (default: the first)",
    choices: Explanation.Method.allCases.map(\.rawValue))
  static let target = Flag(
    "target", "LABEL", "Label to explain, or OUTPUT[N] of numbers (default: the best label)")
  static let window = Flag(
    "window", "N", "Side of a covered window in pixels (default: an eighth of the image)")
  static let step = Flag("step", "N", "Distance of windows in pixels (default: half a window)")
  static let masks = Flag(
    "masks", "N",
    "Number of random masks of rise (default: \(Explainer.Options().maskCount))")
  static let background = Flag(
    "background", "DATA", "Items with which the numbers of a row are compared")
  static let data = Flag(
    "data", "DATA", "Labeled table on which the numbers of all items are explained")
  static let metric = Flag("metric", "NAME", "Metric for --data (default: the main one)")
  static let output = Flag(
    "output", "FILE", "Draw the importance of pixels as FILE.png", shortName: "o")

  static let helpPage = HelpPage(
    name: "explain", summary: "Show what a result depends on",
    usage: """
      [options] <bundle> <input> ...
      [options] --data <data> <bundle>
      """,
    discussion: """
      The input is changed, and what lowers the score is important. This works with any model that
      returns labels, detections, an embedding or numbers.

      Images: windows are covered with the mean color (occlusion), or random parts are visible (rise).
      Texts: words are left out one by one. Numbers: those of the item are exchanged with those of
      --background, in every combination of up to 12 numbers and in samples of more (Shapley values);
      their parts add up to the difference of the scores. --data measures the fall of a metric when the
      values of a number are exchanged between items (permutation importance).

      <input> is one item, as in `tensorio run`.
      """,
    flags: [
      method, target, window, step, masks, background, data, metric, output, .textOrJSON,
      ModelOpener.threads,
    ] + ModelOpener.runtimeFlags,
    examples: [
      (
        "tensorio explain digits.tiobundle three.png -o explained.png",
        "Draw which pixels make it a three"
      ),
      (
        "tensorio explain digits.tiobundle three.png --target 8 --method rise -o eight.png",
        "Draw what would make it an eight, with random masks"
      ),
      (
        "tensorio explain topics.tiobundle 'the striker scored twice'",
        "List the words that a label depends on"
      ),
      (
        "tensorio explain houses.tiobundle '{\"area\": 1890, \"rooms\": [3, 2]}' --background houses.csv",
        "Divide a price among the numbers of a house"
      ),
      (
        "tensorio explain houses.tiobundle --data houses.csv",
        "Rank the numbers by how much the errors depend on them"
      ),
    ])

  private let bundle: String
  private let inputs: [String]
  private let options: Explainer.Options
  private let background: String?
  private let data: String?
  private let metric: String?
  private let outputPath: String?
  private let isJSON: Bool
  private let threads: Int?
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    guard let bundle = arguments.positionals.first else {
      throw Self.helpPage.usageError("missing <bundle>")
    }
    self.bundle = bundle
    inputs = Array(arguments.positionals.dropFirst())
    data = arguments.value(Self.data)
    metric = arguments.value(Self.metric)
    background = arguments.value(Self.background)
    outputPath = arguments.value(Self.output)
    guard inputs.isEmpty != (data == nil) else {
      throw data == nil
        ? Self.helpPage.usageError("missing <input>")
        : .usage("--data explains all items, and takes no <input>")
    }
    guard metric == nil || data != nil else { throw .usage("--metric requires --data") }
    if let outputPath, !outputPath.hasSuffix(".png") {
      throw .usage("--output takes a file name ending in .png, got '\(outputPath)'")
    }
    var options = Explainer.Options()
    options.method = arguments.choice(Self.method)
    if data != nil, let method = options.method, method != .permutation {
      throw .usage(
        "the method '\(method.rawValue)' explains one item; use \(Explanation.Method.permutation.rawValue) with --data"
      )
    }
    options.target = arguments.value(Self.target)
    options.window = try arguments.integer(Self.window, in: 1...65_536)
    options.stride = try arguments.integer(Self.step, in: 1...65_536)
    options.maskCount = try arguments.integer(Self.masks, in: 1...100_000) ?? options.maskCount
    self.options = options
    isJSON = arguments.value(.textOrJSON) == "json"
    threads = try arguments.integer(ModelOpener.threads, in: ModelOpener.threadRange)
    opener = try ModelOpener(arguments)
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let bundle = try opener.bundle(bundle, console)
    let parallelism = Parallelism(items: .max, threadsPerSession: threads)
    let model = try opener.with(parallelism: parallelism).model(bundle, console)
    if let data {
      try explain(data, model, threads: parallelism.itemThreads, console)
    } else {
      try explain(inputs, model, threads: parallelism.itemThreads, console)
    }
    return .success
  }

  /// Explains the result of one item.
  private func explain(
    _ arguments: [String], _ model: Model, threads: Int, _ console: Console
  ) throws(OperationError) {
    let reader = InputItemParser(for: model.description, textInputs: model.textInputs, console)
    let items = try reader.items(arguments).items
    guard let item = items.first, items.count == 1 else {
      throw .usage("one input is explained at a time, got \(items.count)")
    }
    var options = options
    options.concurrency = threads
    let explanation: Explanation
    let input: ModelInput
    do throws(ModelError) {
      input = try item.read()
      let isNumeric = model.callerInputs.allSatisfy(\.isNumeric)
      explanation = try Explainer(model, options).explain(
        input, background: isNumeric ? try backgroundInputs(model, console) : [])
    } catch {
      throw OperationError(error)
    }
    try draw(explanation, input, model)
    guard isJSON else {
      console.printText(explanation.lines)
      if let outputPath { console.info("tensorio: wrote \(outputPath)") }
      return
    }
    console.writeJSONObject { writer in
      writer.member("bundle", bundle)
      writer.member("input", item.name)
      explanation.write(to: &writer)
      if let outputPath { writer.member("output", outputPath) }
    }
  }

  /// Reads the items of the background.
  private func backgroundInputs(
    _ model: Model, _ console: Console
  ) throws(ModelError) -> [ModelInput] {
    guard let background else { return [] }
    let items: [InputItem]
    do throws(OperationError) {
      let dataset = try ResolvedDataset(background, console)
      items = try ComparisonInputs([dataset.path], inputFile: nil, for: model, console).items
    } catch {
      throw error.modelError
        ?? ModelError(.input, .unmetRequirement("\(error.message, as: "message")"))
    }
    var inputs: [ModelInput] = []
    // Rows are spread over the data by the explainer.
    for item in items.prefix(Self.maxBackgroundItems) { inputs.append(try item.read()) }
    return inputs
  }

  /// The maximum number of items of a background that are read.
  private static let maxBackgroundItems = 10_000

  /// Draws the importance of pixels.
  private func draw(
    _ explanation: Explanation, _ input: ModelInput, _ model: Model
  ) throws(OperationError) {
    guard let outputPath else { return }
    guard let map = explanation.heatMap, let image = input.firstImage(of: model.callerInputs) else {
      throw .usage("--output requires a model with an image as the input")
    }
    do throws(ImageError) {
      try map.overlay(on: image).write(to: outputPath)
    } catch {
      throw OperationError(imageError: error)
    }
  }

  /// Explains the numbers of all items of a table.
  private func explain(
    _ data: String, _ model: Model, threads: Int, _ console: Console
  ) throws(OperationError) {
    let dataset = try ResolvedDataset(data, console)
    defer { withExtendedLifetime(dataset) {} }
    var options = PermutationImportance.Options()
    options.metric = metric
    options.concurrency = threads
    let result = try OperationError.rethrowing(file: data) { () throws(ModelError) in
      let plan = try EvaluationPlan(model.bundle, dataAt: dataset.path, opening: { _ in model })
      return try PermutationImportance(of: model, on: plan, options)
    }
    guard isJSON else {
      return console.printText(result.lines)
    }
    console.writeJSONObject { writer in
      writer.member("bundle", bundle)
      writer.member("data", data)
      result.write(to: &writer)
    }
  }
}
