internal import TensorIO
internal import TensorIOCore
internal import TensorIOTasks

/// `tensorio inspect`: what a bundle declares, beside what its model really has.
struct InspectVerb: Verb {
  static let page = HelpPage(
    name: "inspect", summary: "shows what a bundle declares, beside what its model really has",
    usage: "BUNDLE|CHAIN [flags]",
    details: """
      Of a chain, it shows what its steps do, one after the other, and what goes in and comes out.
      """, flags: [Flag.textOrJSON] + BundleOpening.runtimes,
    examples: [
      ("tensorio inspect digits.tiobundle", "inputs and outputs as declared and as found"),
      ("tensorio inspect digits.tiobundle --format json", "the same for a script"),
      ("tensorio inspect faces.tiochain", "the steps of a chain"),
    ])

  private let bundle: String
  private let isJSON: Bool
  private let opening: BundleOpening

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    bundle = try arguments.onlyWord("a bundle", Self.page)
    isJSON = arguments.value(.textOrJSON) == "json"
    opening = try BundleOpening(arguments)
  }

  /// A model that cannot be opened is still shown as declared, before the error.
  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    guard !Chain.isNamed(bundle) else { return try runOnChain(console) }
    let bundle = try BundleOpening.bundle(bundle, console)
    let opened = Result { () throws(CommandFailure) in try inspected(bundle, console) }
    let inspection =
      (try? opened.get()) ?? Inspection(bundle, model: nil, problems: bundle.warnings)
    if isJSON {
      var writer = JSONWriter(.indented)
      inspection.write(to: &writer)
      console.output(writer.bytes + Array("\n".utf8))
    } else {
      inspection.lines(sample: BundleSamples(bundle).first, program: console.program)
        .forEach { console.print($0.printable) }
    }
    if case .failure(let failure) = opened { throw failure }
    return .ok
  }

  private func runOnChain(_ console: Console) throws(CommandFailure) -> ExitCode {
    let chain = try opening.chain(at: bundle, console)
    let inspection = try ChainInspection(chain, at: bundle)
    if isJSON {
      var writer = JSONWriter(.indented)
      inspection.write(to: &writer)
      console.output(writer.bytes + Array("\n".utf8))
    } else {
      inspection.lines(program: console.program).forEach { console.print($0.printable) }
    }
    return .ok
  }

  private func inspected(
    _ bundle: ModelBundle, _ console: Console
  ) throws(CommandFailure) -> Inspection {
    guard !bundle.description.isPlaceholder else {
      return Inspection(bundle, model: nil, problems: bundle.warnings)
    }
    let (model, problems) = try opening.unchecked(bundle, console)
    return Inspection(bundle, model: model, problems: bundle.warnings + problems)
  }
}
