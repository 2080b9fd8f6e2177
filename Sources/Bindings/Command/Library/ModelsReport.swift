import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOLibrary
import TensorIOSystem

/// Prints bundles of the library as text or JSON.
struct ModelsReport {
  private let isJSON: Bool
  private let console: Console
  private let library: UserLibrary
  private let settings: Settings

  init(isJSON: Bool, _ console: Console) throws(OperationError) {
    self.isJSON = isJSON
    self.console = console
    library = try UserLibrary(console)
    settings = try Settings(console)
  }

  /// Prints all bundles; the errors of invalid bundles go to standard error.
  func printList() {
    let entries = library.entries()
    if isJSON { return console.writeJSON { $0.objects(entries) { write($1, to: &$0) } } }
    if entries.isEmpty {
      console.info("tensorio: no models; add one with `tensorio models import`")
    }
    console.printTable(entries.map(row))
    for case (let path, .failure(let error)) in entries.map({ ($0.path, $0.content) }) {
      console.warn("tensorio: invalid bundle \(path): \(error)")
    }
  }

  /// Prints a bundle's metadata, layers and card, or its raw description.
  func printModel(_ name: String, isRaw: Bool) throws(OperationError) {
    let entry =
      FileKind(at: name) == nil ? try library.entry(name) : LibraryEntry(at: name, isManaged: false)
    if console.trustFlags.isSignatureRequired { _ = try ModelOpener.bundle(entry.path, console) }
    guard !isRaw else { return console.writeOutput(try description(of: entry)) }
    let bundle = try ModelOpener.bundle(entry.path, console)
    if isJSON { return console.writeJSONObject { write(entry, bundle, to: &$0) } }
    console.printText(lines(entry, bundle))
  }

  /// Prints the default model and its options.
  func printDefaultModel() {
    if isJSON {
      return console.writeJSONObject { writer in
        writer.memberOrNull("model", settings.defaultModel) { $0.value($1) }
        writer.memberOrNull("threads", settings.threads) { $0.value($1) }
        writer.memberOrNull("top", settings.top) { $0.value($1) }
      }
    }
    if let model = settings.defaultModel { console.print(model) }
    if let threads = settings.threads { console.print("threads \(threads)") }
    if let top = settings.top { console.print("top \(top)") }
    if settings.defaultModel == nil { console.info("tensorio: no default model") }
  }
}

// MARK: Text

extension ModelsReport {
  private func row(_ entry: LibraryEntry) -> [String] {
    let bundle = entry.bundle
    return [
      entry.name, bundle?.id ?? "", bundle?.description.type ?? "", bundle?.backend.rawValue ?? "",
      entry.byteCount.byteCountText, statusLabels(of: entry).joined(separator: ", "),
    ]
  }

  private func statusLabels(of entry: LibraryEntry) -> [String] {
    [
      settings.defaultModel == entry.name ? "default" : nil,
      settings.protectedModels.contains(entry.name) && entry.isManaged ? "protected" : nil,
      entry.bundle == nil ? "invalid" : nil,
    ].compactMap(\.self)
  }

  private func lines(_ entry: LibraryEntry, _ bundle: ModelBundle) -> [String] {
    let inspection = Inspection(bundle, model: nil, diagnostics: [])
    let facts = [
      ("name", entry.name), ("path", entry.path), ("size", entry.byteCount.byteCountText),
      ("status", statusLabels(of: entry).joined(separator: ", ")),
    ]
    let card = bundle.modelCard ?? ""
    return inspection.summaryLines(adding: facts)
      + section("inputs", bundle.description.inputs)
      + section("outputs", bundle.description.outputs) + (card.isEmpty ? [] : ["", card])
  }

  private func section(_ title: String, _ layers: [Layer]) -> [String] {
    ["", "\(title):"] + HelpPage.table(layers.map { ($0.name, Inspection.text($0)) })
  }

  private func description(of entry: LibraryEntry) throws(OperationError) -> [UInt8] {
    let path = "\(entry.bundle?.folderPath ?? entry.path)/model.json"
    do throws(FileError) {
      return try FileBytes.contents(of: path, limit: 1 << 20)
    } catch {
      throw OperationError("unreadable-file", "\(path): \(error.message)", exitCode: .invalidBundle)
    }
  }
}

// MARK: JSON

extension ModelsReport {
  private func write(_ entry: LibraryEntry, to writer: inout JSONWriter) {
    writeEntryMembers(entry, to: &writer)
    switch entry.content {
    case .success(let bundle):
      writer.member("id", bundle.id)
      writer.member("title", bundle.name)
      if let type = bundle.description.type { writer.member("type", type) }
      writer.member("backend", bundle.backend.rawValue)
    case .failure(let error):
      writer.member("error") { writer in
        writer.member("code", error.code)
        writer.member("message", error.description)
      }
    }
  }

  private func writeEntryMembers(_ entry: LibraryEntry, to writer: inout JSONWriter) {
    writer.member("name", entry.name)
    writer.member("path", entry.path)
    writer.member("bytes", entry.byteCount)
    writer.member("managed", entry.isManaged)
    writer.member("default", settings.defaultModel == entry.name)
    writer.member("protected", entry.isManaged && settings.protectedModels.contains(entry.name))
  }

  private func write(_ entry: LibraryEntry, _ bundle: ModelBundle, to writer: inout JSONWriter) {
    let inspection = Inspection(bundle, model: nil, diagnostics: [])
    writeEntryMembers(entry, to: &writer)
    writer.member("model", object: inspection.writeModel)
    writer.member("inputs", layers: bundle.description.inputs)
    writer.member("outputs", layers: bundle.description.outputs)
    writer.member("card", bundle.modelCard ?? "")
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, layers: [Layer]) {
    member(name, array: layers) { $0.object(layer: $1) }
  }
}

extension Int {
  /// The number of bytes with a unit.
  var byteCountText: String {
    switch self {
    case 1_000_000...: "\((Double(self) / 1e6).formatted(decimals: 1)) MB"
    case 1000...: "\((Double(self) / 1e3).formatted(decimals: 1)) kB"
    default: "\(self) B"
    }
  }
}

/// Completes command lines of `run` that name no bundle.
enum DefaultModel {
  /// Inserts the default model before the inputs, if there is one and the first argument can only
  /// be an input.
  static func insertingDefaultModel(
    _ arguments: ParsedArguments, _ rawArguments: [String], _ console: Console
  ) throws(OperationError) -> ParsedArguments {
    guard arguments.positionals.first.map(isInput) ?? true else { return arguments }
    let settings = try Settings(console)
    guard let model = settings.defaultModel else { return arguments }
    console.info("tensorio: running '\(model)', the default model")
    let threads = settings.threads.map { ["--threads", "\($0)"] } ?? []
    let top = settings.top.map { ["--top", "\($0)"] } ?? []
    return try ParsedArguments(
      threads + top + [model] + rawArguments, flags: RunCommand.helpPage.allFlags)
  }

  private static let valuePrefixes = ["base64:", "@", "[", "{"]

  /// Whether an argument cannot be a bundle: a file other than an archive, or a value.
  private static func isInput(_ argument: String) -> Bool {
    if FileKind(at: argument) == .file { return !argument.lowercased().hasSuffix(".zip") }
    return argument == InputValueParser.standardInput
      || valuePrefixes.contains(where: argument.hasPrefix)
  }
}
