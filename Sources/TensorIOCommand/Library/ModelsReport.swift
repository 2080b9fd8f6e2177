internal import TensorIO
internal import TensorIOCore
internal import TensorIOSystem

/// What `tensorio models` says about bundles, as text or JSON.
struct ModelsReport {
  private let isJSON: Bool
  private let console: Console
  private let library: OwnLibrary
  private let settings: Settings

  init(isJSON: Bool, _ console: Console) throws(CommandFailure) {
    self.isJSON = isJSON
    self.console = console
    library = try OwnLibrary(console)
    settings = try Settings(console)
  }

  /// All bundles; what is wrong with those that are broken goes to the messages.
  func list() {
    let entries = library.entries()
    if isJSON { return write { $0.array { writer in entries.forEach { write($0, to: &writer) } } } }
    if entries.isEmpty {
      console.note("tensorio: there are none; `tensorio models import` brings some")
    }
    TextColumns.lines(entries.map(row)).forEach { console.print($0.printable) }
    for case (let path, .failure(let error)) in entries.map({ ($0.path, $0.content) }) {
      console.note("tensorio: \(path) is broken: \(error)")
    }
  }

  /// A bundle's card, and what goes in and comes out.
  func show(_ word: String, isRaw: Bool) throws(CommandFailure) {
    let entry =
      FileKind(at: word) == nil ? try library.entry(word) : LibraryEntry(at: word, isOwn: false)
    if console.trust.isSignatureRequired { _ = try BundleOpening.bundle(entry.path, console) }
    guard !isRaw else { return console.output(try description(of: entry)) }
    let bundle = try BundleOpening.bundle(entry.path, console)
    if isJSON { return write { write(entry, bundle, to: &$0) } }
    lines(entry, bundle).forEach { console.print($0.printable) }
  }

  /// The default model, and how it is run.
  func choice() {
    if isJSON {
      return write { writer in
        writer.object { writer in
          writer.key("model")
          if let model = settings.model { writer.value(model) } else { writer.null() }
          if let threads = settings.threads { writer.member("threads", threads) }
          if let top = settings.top { writer.member("top", top) }
        }
      }
    }
    if let model = settings.model { console.print(model) }
    if let threads = settings.threads { console.print("threads \(threads)") }
    if let top = settings.top { console.print("top \(top)") }
    if settings.model == nil { console.note("tensorio: there is no default model") }
  }
}

// MARK: Text

extension ModelsReport {
  private func row(_ entry: LibraryEntry) -> [String] {
    let bundle = entry.bundle
    return [
      entry.name, bundle?.id ?? "", bundle?.description.type ?? "", bundle?.backend.rawValue ?? "",
      entry.byteCount.sizeText, marks(of: entry).joined(separator: ", "),
    ]
  }

  private func marks(of entry: LibraryEntry) -> [String] {
    [
      settings.model == entry.name ? "default" : nil,
      settings.protected.contains(entry.name) && entry.isOwn ? "protected" : nil,
      entry.bundle == nil ? "broken" : nil,
    ].compactMap(\.self)
  }

  private func lines(_ entry: LibraryEntry, _ bundle: ModelBundle) -> [String] {
    let inspection = Inspection(bundle, model: nil, problems: [])
    let facts = [
      ("name", entry.name), ("path", entry.path), ("size", entry.byteCount.sizeText),
      ("marks", marks(of: entry).joined(separator: ", ")),
    ]
    let card = bundle.card ?? ""
    return inspection.card(adding: facts)
      + section("inputs", bundle.description.inputs)
      + section("outputs", bundle.description.outputs) + (card.isEmpty ? [] : ["", card])
  }

  private func section(_ title: String, _ layers: [Layer]) -> [String] {
    ["", "\(title):"] + HelpPage.columns(layers.map { ($0.name, Inspection.text($0)) })
  }

  private func description(of entry: LibraryEntry) throws(CommandFailure) -> [UInt8] {
    let path = "\(entry.bundle?.folderPath ?? entry.path)/model.json"
    do throws(FileFault) {
      return try FileBytes.contents(of: path, limit: 1 << 20)
    } catch {
      throw CommandFailure("unreadable-file", "\(path): \(error.problem)", exit: .bundle)
    }
  }
}

// MARK: JSON

extension ModelsReport {
  private func write(_ body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(.indented)
    body(&writer)
    console.output(writer.bytes + Array("\n".utf8))
  }

  private func write(_ entry: LibraryEntry, to writer: inout JSONWriter) {
    writer.object { writer in
      writeFacts(entry, to: &writer)
      switch entry.content {
      case .success(let bundle):
        writer.member("id", bundle.id)
        writer.member("title", bundle.name)
        if let type = bundle.description.type { writer.member("type", type) }
        writer.member("backend", bundle.backend.rawValue)
      case .failure(let error):
        writer.member(
          "error",
          object: { writer in
            writer.member("code", error.code)
            writer.member("message", error.description)
          })
      }
    }
  }

  private func writeFacts(_ entry: LibraryEntry, to writer: inout JSONWriter) {
    writer.member("name", entry.name)
    writer.member("path", entry.path)
    writer.member("bytes", entry.byteCount)
    writer.member("own", entry.isOwn)
    writer.member("default", settings.model == entry.name)
    writer.member("protected", entry.isOwn && settings.protected.contains(entry.name))
  }

  private func write(_ entry: LibraryEntry, _ bundle: ModelBundle, to writer: inout JSONWriter) {
    let inspection = Inspection(bundle, model: nil, problems: [])
    writer.object { writer in
      writeFacts(entry, to: &writer)
      writer.member("model", object: inspection.writeModel)
      writer.member("inputs", layers: bundle.description.inputs)
      writer.member("outputs", layers: bundle.description.outputs)
      writer.member("card", bundle.card ?? "")
    }
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, layers: [Layer]) {
    member(name, array: { writer in layers.forEach { writer.object(pair: $0) } })
  }
}

extension Int {
  /// A number of bytes as people read it.
  var sizeText: String {
    switch self {
    case 1_000_000...: "\((Double(self) / 1e6).fixed(1)) MB"
    case 1000...: "\((Double(self) / 1e3).fixed(1)) kB"
    default: "\(self) B"
    }
  }
}
