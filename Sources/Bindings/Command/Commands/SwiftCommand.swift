import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOSystem
import TensorIOTasks
import TensorIOTypedModels

/// `tensorio swift`: generates a Swift type for a bundle.
struct SwiftCommand: Subcommand {
  static let output = Flag(
    "output", "FILE", "Swift file to write (default: standard output)", shortName: "o")
  static let name = Flag(
    "name", "NAME", "Name of the type (default: from the name of the bundle's folder)")
  static let access = Flag(
    "access", "LEVEL", "Access level: internal, package or public (default: internal)",
    choices: SwiftModelGenerator.Access.allCases.map(\.rawValue))
  static let resource = Flag(
    "resource", "PATH", "Path in the module's resources, for init() that opens the bundle")

  static let helpPage = HelpPage(
    name: "swift", summary: "Generate a Swift type for a bundle",
    usage: "[options] <bundle>|<chain>",
    discussion: """
      The type has a labeled parameter for each input, a property for each output and for the result
      of the task, and an enumeration of the labels if there are at most \(InterfaceContent.maxLabels). A bundle that no
      longer fits the type cannot be opened with it. Generating the type again gives the same file.
      The models of a chain are opened. A file that was generated is overwritten; any other file only
      with --force.
      """,
    flags: [output, name, access, resource, Flag.force] + ModelOpener.checkingFlags,
    examples: [
      (
        "tensorio swift digits.tiobundle -o Sources/App/Digits.swift",
        "Write the type Digits"
      ),
      (
        "tensorio swift v2.tiobundle --name Digits --access public",
        "Print a public type of another name"
      ),
    ])

  private let bundle: String
  private let outputPath: String?
  private let options: SwiftModelGenerator.Options
  private let overwrites: Bool
  private let opener: ModelOpener

  init(_ arguments: ParsedArguments) throws(OperationError) {
    bundle = try arguments.singlePositional("<bundle>", Self.helpPage)
    outputPath = arguments.value(Self.output)
    overwrites = arguments.has(.force)
    opener = try ModelOpener(arguments)
    var options = SwiftModelGenerator.Options()
    options.typeName = arguments.value(Self.name)
    options.access = arguments.choice(Self.access) ?? .internal
    options.resource = arguments.value(Self.resource)
    self.options = options
    guard let name = options.typeName, !SwiftModelGenerator.isTypeName(name) else { return }
    throw .usage("--name takes the name of a Swift type that TensorIO does not use, got '\(name)'")
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    let bundle = try ModelOpener.bundle(bundle, console)
    let generator = try OperationError.rethrowing { () throws(ModelError) in
      try SwiftModelGenerator(bundle, options: options)
    }
    guard let outputPath else {
      console.writeOutput(Array(generator.source().utf8))
      return .success
    }
    if !overwrites, FileKind(at: outputPath) != nil,
      !SwiftModelGenerator.hasGenerated(fileAt: outputPath)
    {
      throw OperationError(packing: ModelError(.output, .alreadyExists(outputPath)))
    }
    try OperationError.rethrowing { () throws(ModelError) in try generator.write(to: outputPath) }
    console.print(outputPath)
    return .success
  }
}
