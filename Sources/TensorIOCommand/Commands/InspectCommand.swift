import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// `tensorio inspect`: what a bundle declares, beside what its model really has.
struct InspectCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "inspect", summary: "shows what a bundle declares, beside what its model really has",
    usage: "BUNDLE|CHAIN [flags]",
    discussion: """
      Of a chain, it shows what its steps do, one after the other, and what goes in and comes out.
      """, flags: [Flag.textOrJSON] + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio inspect digits.tiobundle", "inputs and outputs as declared and as found"),
      ("tensorio inspect digits.tiobundle --format json", "the same for a script"),
      ("tensorio inspect faces.tiochain", "the steps of a chain"),
    ])

  private let bundle: String
  private let isJSON: Bool
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    bundle = try arguments.singlePositional("a bundle", Self.helpPage)
    isJSON = arguments.value(.textOrJSON) == "json"
    opener = try ModelOpener(arguments)
  }

  /// A model that cannot be opened is still shown as declared, before the error.
  func run(_ console: Console) throws(OperationError) -> ExitCode {
    guard !Chain.hasChainExtension(bundle) else { return try inspectChain(console) }
    let bundle = try ModelOpener.bundle(bundle, console)
    let opened = Result { () throws(OperationError) in try inspect(bundle, console) }
    let inspection =
      (try? opened.get()) ?? Inspection(bundle, model: nil, diagnostics: bundle.warnings)
    if isJSON {
      var writer = JSONWriter(.indented)
      inspection.write(to: &writer)
      console.writeOutput(writer.bytes + Array("\n".utf8))
    } else {
      inspection.lines(sample: BundleSamples(bundle).firstItems, program: console.program)
        .forEach { console.print($0.sanitizedForTerminal) }
    }
    if case .failure(let failure) = opened { throw failure }
    return .success
  }

  private func inspectChain(_ console: Console) throws(OperationError) -> ExitCode {
    let chain = try opener.chain(at: bundle, console)
    let inspection = try ChainInspection(chain, at: bundle)
    if isJSON {
      var writer = JSONWriter(.indented)
      inspection.write(to: &writer)
      console.writeOutput(writer.bytes + Array("\n".utf8))
    } else {
      inspection.lines(program: console.program).forEach { console.print($0.sanitizedForTerminal) }
    }
    return .success
  }

  private func inspect(
    _ bundle: ModelBundle, _ console: Console
  ) throws(OperationError) -> Inspection {
    guard !bundle.description.isPlaceholder else {
      return Inspection(bundle, model: nil, diagnostics: bundle.warnings)
    }
    let (model, problems) = try opener.loadForInspection(bundle, console)
    return Inspection(bundle, model: model, diagnostics: bundle.warnings + problems)
  }
}
