internal import TensorIO
internal import TensorIOCore
internal import TensorIOData

/// `tensorio evaluate`: how good a model is on examples whose right answers are known.
struct EvaluateVerb: Verb {
  static let page = HelpPage(
    name: "evaluate", summary: "says how good a model is on examples with their right answers",
    usage: "BUNDLE DATA [flags]",
    details: """
      DATA is a folder with a folder of pictures per label, a .csv or .tsv file with a column for
      each layer, or an .ndjson file with an object per line. A bundle with an eval mode says
      itself how good it is: its outputs are averaged over the data. Labels that a bundle predicts
      are compared with those of the data, numbers with the numbers of columns named like them.
      Exit code 1 when some examples could not be run.
      """,
    flags: [Flag.textOrJSON, BundleOpening.threads] + BundleOpening.runtimes,
    examples: [
      ("tensorio evaluate digits.tiobundle held-out/", "top-1 accuracy and loss over a folder"),
      ("tensorio evaluate houses.tiobundle houses.csv", "how far predicted prices are off"),
      ("tensorio evaluate digits.tiobundle held-out/ --format json", "the same for a script"),
    ])

  private let bundle: String
  private let data: String
  private let isJSON: Bool
  private let opening: BundleOpening

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    guard arguments.words.count == 2 else {
      throw .usage("name a bundle and data: tensorio evaluate \(Self.page.usage)")
    }
    (bundle, data) = (arguments.words[0], arguments.words[1])
    isJSON = arguments.value(.textOrJSON) == "json"
    opening = try BundleOpening(arguments)
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    let bundle = try BundleOpening.bundle(bundle, console)
    let plan: EvaluationPlan
    do {
      plan = try EvaluationPlan(bundle)
    } catch {
      throw CommandFailure(error)
    }
    let data = try DataOpening.data(data, for: plan.layers, labels: plan.labels, console)
    let evaluation = try Evaluation(bundle, plan, data, opening, console)
    write(evaluation, console)
    guard let failure = evaluation.errors.first else { return .ok }
    return data.count == 1 ? failure.exit : .fellShort
  }

  private func write(_ evaluation: Evaluation, _ console: Console) {
    guard isJSON else {
      return evaluation.lines.forEach { console.print($0.printable) }
    }
    var writer = JSONWriter(.indented)
    writer.array { writer in evaluation.write(to: &writer) }
    console.output(writer.bytes + Array("\n".utf8))
  }
}
