internal import TensorIO
internal import TensorIOCore
internal import TensorIOLiteRT
internal import TensorIOTensorFlow

/// `tensorio runtime`: installs and finds the libraries that run models.
struct RuntimeVerb: Verb {
  static let page = HelpPage(
    name: "runtime", summary: "installs and finds the libraries that run models",
    usage: "install NAME | list | where NAME",
    details: """
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
    case install(RuntimeSpecification)
    case list
    case place(RuntimeSpecification)
  }

  /// The runtimes that can be installed.
  static let specifications: [RuntimeSpecification] = [.liteRT, .tensorFlow]

  private let action: Action
  private let isJSON: Bool

  init(_ arguments: ParsedArguments) throws(CommandFailure) {
    isJSON = arguments.value(.textOrJSON) == "json"
    let words = arguments.words
    switch (words.first, words.count) {
    case ("install", 2): action = .install(try Self.specification(words[1]))
    case ("where", 2): action = .place(try Self.specification(words[1]))
    case ("list", 1): action = .list
    default: throw .usage("usage: tensorio runtime \(Self.page.usage)")
    }
  }

  func run(_ console: Console) throws(CommandFailure) -> ExitCode {
    switch action {
    case .install(let specification): try RuntimeInstaller(specification, console).install()
    case .place(let specification): console.print(try Self.place(of: specification))
    case .list: list(console)
    }
    return .ok
  }

  private static func specification(
    _ name: String
  ) throws(CommandFailure) -> RuntimeSpecification {
    if let known = specifications.first(where: { $0.name == name }) { return known }
    let names = specifications.map(\.name)
    throw .usage(
      "no runtime is called '\(name)'; known: \(names.joined(separator: ", "))"
        + didYouMean(name, among: names))
  }

  private static func place(
    of specification: RuntimeSpecification
  ) throws(CommandFailure) -> String {
    do {
      return try DivertedErrors.during { () throws(ModelError) in
        try specification.locate().path
      }
    } catch {
      throw CommandFailure(error)
    }
  }

  /// One place in the list.
  private struct Row {
    let specification: RuntimeSpecification
    let candidate: RuntimeCandidate
    let state: String

    var version: String? { candidate.isAbsent ? nil : candidate.version(of: specification) }
  }

  /// Once a library is open, the loader finds it by its bare name too, so the loader, which comes
  /// last, is asked first.
  private static func rows(_ specification: RuntimeSpecification) -> [Row] {
    RuntimeSearch(for: specification).candidates().reversed()
      .map { Row(specification: specification, candidate: $0, state: $0.state(of: specification)) }
      .reversed()
  }

  private func list(_ console: Console) {
    let rows = Self.specifications.flatMap(Self.rows)
    guard isJSON else {
      for row in rows {
        console.print("\(row.specification.name)  \(row.state)  \(row.candidate.path)")
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
          writer.member("state", row.state)
        }
      }
    }
    console.output(writer.bytes + Array("\n".utf8))
  }
}

extension RuntimeCandidate {
  /// Whether the place holds the library and works, in a word.
  fileprivate func state(of specification: RuntimeSpecification) -> String {
    if isAbsent { return "absent" }
    let works = DivertedErrors.during { (try? specification.locate(library: path)) != nil }
    return works ? "works" : path.contains("/") ? "broken" : "absent"
  }
}

extension RuntimeSpecification {
  /// Opens the library, from its usual places or from one, and says where it was.
  func locate(library: String? = nil) throws(ModelError) -> RuntimeCandidate {
    backend == .tensorflow
      ? try TensorFlowBackend(library: library).locate()
      : try LiteRTBackend(library: library).locate()
  }
}
