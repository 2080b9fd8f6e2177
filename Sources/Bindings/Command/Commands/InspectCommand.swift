import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// `tensorio inspect`: compares a bundle's description with its model.
struct InspectCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "inspect", summary: "Compare a bundle's description with its model",
    usage: "[options] <bundle>|<chain>",
    discussion: """
      Lists the custom operators of a .tflite file and where each comes from, even if the model
      cannot be opened. For a chain, lists each step with its inputs and outputs.
      """, flags: [Flag.textOrJSON] + ModelOpener.runtimeFlags,
    examples: [
      ("tensorio inspect digits.tiobundle", "Show the declared and the actual inputs and outputs"),
      ("tensorio inspect digits.tiobundle --format json", "Print the same as JSON"),
      ("tensorio inspect faces.tiochain", "List the steps of a chain"),
    ])

  private let bundle: String
  private let isJSON: Bool
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    bundle = try arguments.singlePositional("<bundle>", Self.helpPage)
    isJSON = arguments.value(.textOrJSON) == "json"
    opener = try ModelOpener(arguments)
  }

  /// Prints the declarations even if the model cannot be loaded, and then throws the error.
  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let bundle = try opener.bundle(bundle, console)
    if let composition = bundle.composition { return try inspect(bundle, composition, console) }
    let opened = Result { () throws(OperationError) in try inspect(bundle, console) }
    var inspection =
      (try? opened.get()) ?? Inspection(bundle, model: nil, diagnostics: bundle.warnings)
    inspection.customOperators = opener.customOperators(of: bundle)
    if isJSON {
      console.writeJSON { inspection.write(to: &$0) }
    } else {
      console.printText(
        inspection.lines(sample: BundleSamples(bundle).firstItems, program: console.program))
    }
    if case .failure(let error) = opened { throw error }
    return .success
  }

  private func inspect(
    _ chain: ModelBundle, _ composition: ModelBundle.Composition, _ console: Console
  ) throws(OperationError) -> ExitCode {
    let inspection = try ChainInspection(chain, composition)
    if isJSON {
      console.writeJSON { inspection.write(to: &$0) }
    } else {
      console.printText(inspection.lines(program: console.program))
    }
    return .success
  }

  private func inspect(
    _ bundle: ModelBundle, _ console: Console
  ) throws(OperationError) -> Inspection {
    guard !bundle.description.isPlaceholder else {
      return Inspection(bundle, model: nil, diagnostics: bundle.warnings)
    }
    let (model, diagnostics) = try opener.loadForInspection(bundle, console)
    return Inspection(bundle, model: model, diagnostics: bundle.warnings + diagnostics)
  }
}
