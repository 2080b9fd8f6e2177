import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOLiteRT
import TensorIOSystem
import TensorIOTensorFlow

/// `tensorio runtime`: installs and finds the libraries that run models.
struct RuntimeCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "runtime", summary: "installs and finds the libraries that run models",
    usage: "install NAME | list | where NAME",
    discussion: """
      install takes a library out of a pinned package of the Python registry, checked against its
      digest, and puts it into the data folder (TENSORIO_HOME, else XDG_DATA_HOME/tensorio, else
      ~/.local/share/tensorio). It needs python3 with pip. Names: litert, and tensorflow for
      bundles that ask for it, which is large.
      """,
    flags: [Flag.textOrJSON],
    examples: [
      ("tensorio runtime install litert", "fetches LiteRT and says where it lies"),
      ("tensorio runtime list", "every place that is looked at, and what is there"),
      ("tensorio runtime where litert", "the library that would be used"),
    ])

  private enum Action: Sendable {
    case install(RuntimeLibrarySpecification)
    case list
    case locate(RuntimeLibrarySpecification)
  }

  /// The runtimes that can be installed.
  static let specifications: [RuntimeLibrarySpecification] = [.liteRT, .tensorFlow]

  private let action: Action
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    isJSON = arguments.value(.textOrJSON) == "json"
    let words = arguments.positionals
    switch (words.first, words.count) {
    case ("install", 2): action = .install(try Self.specification(words[1]))
    case ("where", 2): action = .locate(try Self.specification(words[1]))
    case ("list", 1): action = .list
    default: throw .usage("usage: tensorio runtime \(Self.helpPage.usage)")
    }
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    switch action {
    case .install(let specification): try RuntimeInstaller(specification, console).install()
    case .locate(let specification): console.print(try Self.libraryPath(of: specification))
    case .list: list(console)
    }
    return .success
  }

  private static func specification(
    _ name: String
  ) throws(OperationError) -> RuntimeLibrarySpecification {
    if let known = specifications.first(where: { $0.name == name }) { return known }
    let names = specifications.map(\.name)
    throw .usage(
      "no runtime is called '\(name)'; known: \(names.joined(separator: ", "))"
        + spellingSuggestion(for: name, among: names))
  }

  private static func libraryPath(
    of specification: RuntimeLibrarySpecification
  ) throws(OperationError) -> String {
    do {
      return try StderrRedirection.suppressing { () throws(ModelError) in
        try specification.locate().path
      }
    } catch {
      throw OperationError(error)
    }
  }

  /// One place in the list.
  private struct Row {
    let specification: RuntimeLibrarySpecification
    let candidate: RuntimeLibraryCandidate
    let status: String

    var version: String? { candidate.isMissing ? nil : candidate.installedVersion(of: specification) }
  }

  /// Once a library is open, the loader finds it by its bare name too, so the loader, which comes
  /// last, is asked first.
  private static func rows(_ specification: RuntimeLibrarySpecification) -> [Row] {
    RuntimeLibrarySearch(for: specification).candidates().reversed()
      .map { Row(specification: specification, candidate: $0, status: $0.status(of: specification)) }
      .reversed()
  }

  private func list(_ console: Console) {
    let rows = Self.specifications.flatMap(Self.rows)
    guard isJSON else {
      for row in rows {
        console.print("\(row.specification.name)  \(row.status)  \(row.candidate.path)")
      }
      return
    }
    var writer = JSONWriter(.indented)
    writer.array { writer in
      for row in rows {
        writer.object { writer in
          writer.member("name", row.specification.name)
          writer.key("version")
          if let version = row.version { writer.value(version) } else { writer.null() }
          writer.member("path", row.candidate.path)
          writer.member("state", row.status)
        }
      }
    }
    console.writeOutput(writer.bytes + Array("\n".utf8))
  }
}

extension RuntimeLibraryCandidate {
  /// Whether the place holds the library and works, in a word.
  fileprivate func status(of specification: RuntimeLibrarySpecification) -> String {
    if isMissing { return "absent" }
    let works = StderrRedirection.suppressing { (try? specification.locate(library: path)) != nil }
    return works ? "works" : path.contains("/") ? "broken" : "absent"
  }
}

extension RuntimeLibrarySpecification {
  /// Opens the library, from its usual places or from one, and says where it was.
  func locate(library: String? = nil) throws(ModelError) -> RuntimeLibraryCandidate {
    backend == .tensorflow
      ? try TensorFlowBackend(library: library).locateLibrary()
      : try LiteRTBackend(library: library).locateLibrary()
  }
}
