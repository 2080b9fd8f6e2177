public import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension TrainableModel {
  /// Writes a bundle with the weights that the model has now, for all its modes.
  ///
  ///     try model.export(to: "trained.tiobundle")
  ///
  /// It has the description, the labels and all other files of the bundle that the model was opened
  /// from, but for hidden ones and its signature; its manifest is its own; its examples say what the trained weights give, and its `CARD.md` begins with where it
  /// comes from. It is written beside its place and moved there when it is whole and on the disk, so that
  /// whatever happens, there is the old bundle, or none, or the new one. What is there already is
  /// an error, unless it may be overwritten.
  public func export(to path: String, overwriting: Bool = false) throws(ModelError) {
    let followers = try syncedModels()
    let models = followers.mapValues(\.model)
      .merging([description.modelFile: weights.model]) { _, trained in trained }
    try AtomicDirectoryWriter.write(path, overwriting: overwriting) { (staging) throws(ModelError) in
      try weights.withLock { (latest) throws(ModelError) in
        for follower in followers.values { try follower.sync(to: latest) }
        let texts = [
          BundleFolder.descriptionName: try exampleRegenerator().regeneratedDescription(),
          ProvenanceCard.fileName: ProvenanceCard(bundle, steps: weights.stepCount).contents,
        ]
        try TrainedBundleWriter(folder: bundle.folder, models: models, generatedFiles: texts, target: staging)
          .write()
      }
    }
  }

  /// The bundle's examples, answered by weights that nobody changes meanwhile.
  private func exampleRegenerator() throws(ModelError) -> ExampleRegenerator {
    let mode = bundle.description.defaultMode
    let model = try runtimeModel(for: mode)
    let backend = PreloadedBackend(
      identifier: backend.identifier, model: (model as? WeightSyncedModel)?.model ?? model)
    // As a checker of the bundle opens it: none of the options that change what comes out.
    let options = Model.Options(threads: options.threads, mode: mode)
    return ExampleRegenerator(bundle: bundle, model: try Model(bundle, on: backend, options: options))
  }

  /// The models that have files of their own, by those.
  private func syncedModels() throws(ModelError) -> [String: WeightSyncedModel] {
    var models: [String: WeightSyncedModel] = [:]
    for mode in ModelMode.allCases where bundle.description.modes.contains(mode) {
      let file = bundle.description.resolved(for: mode).modelFile
      guard file != description.modelFile, models[file] == nil else { continue }
      models[file] = try runtimeModel(for: mode) as? WeightSyncedModel
    }
    return models
  }
}

/// The files of a bundle, copied, with other models and texts in the place of its own, and a manifest
/// of what has come of it.
private struct TrainedBundleWriter {
  /// The file by which this project's bundles are tested, which speaks of other weights.
  private static let expectationsFileName = "expected.json"

  let folder: BundleFolder
  let models: [String: any TrainableRuntimeModel]
  let generatedFiles: [String: [UInt8]]
  let target: String

  func write() throws(ModelError) {
    let others = generatedFiles.keys + BundleManifest.excludedNames + [Self.expectationsFileName]
    for name in try names(in: "") where !others.contains(name) { try write(name) }
    for (name, text) in generatedFiles {
      try AtomicDirectoryWriter.mapFileErrors(at: name) { () throws(FileError) in
        try AtomicFile.write(text, to: target + "/" + name)
      }
    }
    try BundleManifest.write(into: target)
  }

  private func write(_ name: String) throws(ModelError) {
    let source = try folder.resolvedPath(of: name)
    if let model = models.first(where: { $0.key.isSamePath(as: name) })?.value {
      return try model.save(to: target + "/" + name)
    }
    guard FileKind(at: source) == .directory else {
      return try AtomicDirectoryWriter.mapFileErrors(at: name) { () throws(FileError) in
        try FileSystem.copy(source, to: target + "/" + name)
      }
    }
    let entries = try names(in: name)
    guard !entries.isEmpty else { return }
    try AtomicDirectoryWriter.mapFileErrors(at: name) { () throws(FileError) in try FileSystem.createDirectory(target + "/" + name) }
    for entry in entries { try write(name + "/" + entry) }
  }

  /// Without hidden files, which are the system's and no bundle's.
  private func names(in name: String) throws(ModelError) -> [String] {
    let path = name.isEmpty ? folder.root : try folder.resolvedPath(of: name)
    let names = try AtomicDirectoryWriter.mapFileErrors(at: path) { () throws(FileError) in try FileSystem.entryNames(in: path) }
    return names.filter { !$0.hasPrefix(".") }
  }
}

extension String {
  /// Whether two names inside a bundle are the same file's.
  fileprivate func isSamePath(as other: String) -> Bool {
    split(separator: "/").filter { $0 != "." } == other.split(separator: "/").filter { $0 != "." }
  }
}

/// The examples of a bundle, with what a model answers in the place of what is written there.
struct ExampleRegenerator {
  let bundle: ModelBundle
  let model: Model

  /// The bundle's description, of which all but the examples' outputs stays as it is written.
  func regeneratedDescription() throws(ModelError) -> [UInt8] {
    var text = try bundle.folder.descriptionBytes()
    guard let document = try? JSONDocument(parsing: text, dialect: .modelDescription) else {
      return text
    }
    // From the last on, so that the places of those before stay.
    for (index, example) in bundle.description.examples.enumerated().reversed() {
      guard let written = document.node(at: "/examples/\(index)/output"),
        let output = try? model.run(bundle.input(of: example))
      else { continue }
      text.replaceSubrange(written.range, with: json(output, for: example))
    }
    return text
  }

  /// What came out of the outputs that an example speaks of, but for pictures, which are files.
  private func json(_ output: ModelOutput, for example: ModelExample) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      for layer in output.layers where example.output[layer.name] != nil {
        writer.member(layer.name, layer.value)
      }
    }
    return writer.bytes
  }
}

extension JSONWriter {
  fileprivate mutating func member(_ name: String, _ value: LayerValue) {
    switch value {
    case .numbers(let numbers):
      key(name)
      self.value(numbers)
    case .classification(let classification):
      key(name)
      numbers(classification.scores)
    case .bytes(let bytes): member(name, Self.text(of: bytes))
    case .strings(let strings):
      member(name) { writer in strings.forEach { writer.value(Self.text(of: $0)) } }
    case .image, .list: break
    }
  }

  private static func text(of bytes: [UInt8]) -> String {
    ModelBundle.base64Prefix + Data(bytes).base64EncodedString()
  }
}

/// What a trained bundle says of where it comes from.
struct ProvenanceCard {
  /// The file in which a bundle speaks of its model to people.
  static let fileName = "CARD.md"
  /// No card is nearly as long.
  private static let maxBytes = 1 << 20

  private let bundle: ModelBundle
  private let steps: Int

  init(_ bundle: ModelBundle, steps: Int) {
    self.bundle = bundle
    self.steps = steps
  }

  /// The bundle's card, if it has one that can be read, after the note.
  var contents: [UInt8] {
    guard let card = try? bundle.folder.bytes(of: Self.fileName, limit: Self.maxBytes) else {
      return Array((provenance + "\n").utf8)
    }
    let what = "What follows was written of that bundle: figures in it are not of this one.\n\n"
    return Array("\(provenance) \(what)".utf8) + card
  }

  private var provenance: String {
    let day = Date.now.formatted(.iso8601.year().month().day())
    let count = steps == 1 ? "1 step" : "\(steps) steps"
    return "Trained further from the bundle \(bundle.id) (version \(bundle.version)): "
      + "\(count), until \(day)."
  }
}
