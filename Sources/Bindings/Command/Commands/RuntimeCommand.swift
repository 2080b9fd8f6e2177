import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIORuntimes
import TensorIOSystem

/// `tensorio runtime`: installs and locates the libraries that run models.
struct RuntimeCommand: Subcommand {
  static let helpPage = HelpPage(
    name: "runtime", summary: "Install and locate the libraries that run models",
    usage: """
      install [options] <name>
      list [options]
      where [options] <name>
      """,
    discussion: """
      <name> is litert, litert-gpu (for --accelerator gpu), onnx, or tensorflow (large; required by
      few bundles). install downloads a
      pinned Python package, verifies its digest, and extracts the library into the data folder
      (TENSORIO_HOME, or XDG_DATA_HOME/tensorio, or ~/.local/share/tensorio). It requires python3
      with pip.
      """,
    flags: [Flag.textOrJSON],
    examples: [
      ("tensorio runtime install litert", "Install LiteRT, and print its path"),
      ("tensorio runtime list", "List all search locations with their status"),
      ("tensorio runtime where litert", "Print the path of the library in use"),
    ])

  private enum Action: Sendable {
    case install(RuntimeLibrarySpecification)
    case list
    case locate(RuntimeDescriptor, RuntimeLibrarySpecification)
  }

  private let action: Action
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(OperationError) {
    isJSON = arguments.value(.textOrJSON) == "json"
    let words = arguments.positionals
    switch (words.first, words.count) {
    case ("install", 2): action = .install(try Self.runtime(words[1]).library)
    case ("where", 2):
      let (runtime, library) = try Self.runtime(words[1])
      action = .locate(runtime, library)
    case ("list", 1): action = .list
    default: throw Self.helpPage.actionError(words)
    }
  }

  func run(_ console: Console) throws(OperationError) -> ExitCode {
    switch action {
    case .install(let specification):
      console.print(try RuntimeInstaller(specification) { console.info($0) }.install())
    case .locate(let runtime, let library):
      console.print(try Self.path(of: library, runtime))
    case .list: list(console)
    }
    return .success
  }

  /// Returns the runtime whose library has a name, and the library.
  static func runtime(
    _ name: String, among runtimes: [RuntimeDescriptor] = BuiltInRuntimes.all
  ) throws(OperationError) -> (descriptor: RuntimeDescriptor, library: RuntimeLibrarySpecification)
  {
    for runtime in runtimes {
      let match = runtime.libraries.first { $0.name == name }
      if let match { return (runtime, match) }
    }
    let names = runtimes.flatMap(\.libraries).map(\.name)
    throw .usage(
      "unknown runtime '\(name)': expected \(names.joined(separator: " or "))"
        + spellingSuggestion(for: name, among: names))
  }

  private static func path(
    of library: RuntimeLibrarySpecification, _ runtime: RuntimeDescriptor
  ) throws(OperationError) -> String {
    guard library == runtime.library else {
      // The runtime opens the library itself.
      let candidates = RuntimeLibrarySearch(for: library).candidates()
      guard let found = candidates.first(where: { !$0.isMissing && $0.path.contains("/") }) else {
        throw OperationError(
          "runtime-missing", "\(library.displayName) is not installed",
          exitCode: .runtimeUnavailable)
      }
      return found.path
    }
    do {
      return try StderrRedirection.suppressing { () throws(ModelError) in
        try runtime.locateLibrary().path
      }
    } catch {
      throw OperationError(error)
    }
  }

  /// A search location of a runtime library.
  struct Row {
    let specification: RuntimeLibrarySpecification
    let candidate: RuntimeLibraryCandidate
    let status: String

    var version: String? {
      candidate.isMissing ? nil : candidate.installedVersion(of: specification)
    }

    /// The cells of the text table: runtime, status, version and location.
    func cells(isUsed: Bool) -> [String] {
      let origin =
        switch candidate.origin {
        case .systemLoader: "dynamic loader"
        case .dataDirectory: "data folder"
        case .environment(let variable): variable
        case .explicit: "given"
        }
      let isMissing = status == "missing"
      return [
        specification.name, isUsed ? "in use" : isMissing ? "not found" : status,
        isMissing ? "" : version ?? "", "\(candidate.path) (\(origin))",
      ]
    }
  }

  /// Returns the search locations of a runtime's library.
  ///
  /// The dynamic loader, which comes last, is tested first: once a library is loaded from another
  /// location, the loader also finds it by its bare name.
  static func rows(_ runtime: RuntimeDescriptor) -> [Row] {
    guard let library = runtime.library else { return [] }
    return RuntimeLibrarySearch(for: library).candidates().reversed()
      .map { Row(specification: library, candidate: $0, status: $0.status(of: runtime)) }
      .reversed()
  }

  /// Returns the search locations of a library that its runtime opens.
  private static func rows(ofFile library: RuntimeLibrarySpecification) -> [Row] {
    RuntimeLibrarySearch(for: library).candidates().filter { $0.path.contains("/") }.map {
      Row(specification: library, candidate: $0, status: $0.isMissing ? "missing" : "available")
    }
  }

  private func list(_ console: Console) {
    let lists =
      BuiltInRuntimes.all.map(Self.rows)
      + BuiltInRuntimes.all.compactMap(\.gpuLibrary).map(Self.rows(ofFile:))
    let rows = lists.flatMap(\.self)
    guard isJSON else {
      let cells = lists.flatMap { rows in
        let used = rows.firstIndex { $0.status == "available" }
        return rows.indices.map { rows[$0].cells(isUsed: $0 == used) }
      }
      return console.printTable(cells)
    }
    console.writeJSON { writer in
      writer.objects(rows) { writer, row in
        writer.member("name", row.specification.name)
        writer.memberOrNull("version", row.version) { $0.value($1) }
        writer.member("path", row.candidate.path)
        writer.member("status", row.status)
      }
    }
  }
}

extension RuntimeLibraryCandidate {
  /// Returns the status of the location: `missing`, `available` or `broken`.
  fileprivate func status(of runtime: RuntimeDescriptor) -> String {
    if isMissing { return "missing" }
    let isAvailable = StderrRedirection.suppressing {
      (try? runtime.locateLibrary(path)) != nil
    }
    return isAvailable ? "available" : path.contains("/") ? "broken" : "missing"
  }
}
