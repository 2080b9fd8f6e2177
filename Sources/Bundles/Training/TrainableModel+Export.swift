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
  /// Writes a bundle with the model's current weights, for all its modes.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try TrainableModel(at: "line.tiobundle")
  /// try model.export(to: "trained.tiobundle")
  /// ```
  ///
  /// The new bundle has the description, labels and other files of the original bundle, except
  /// hidden files and the signature. It gets a new manifest, the expected outputs of its examples
  /// are those of the trained weights, and its `CARD.md` begins with a note on its origin.
  ///
  /// The bundle is written atomically: after an interruption, `path` has the previous contents or
  /// the complete new bundle.
  ///
  /// - Parameters:
  ///   - path: The path of the new bundle.
  ///   - overwriting: Whether to replace an existing bundle.
  /// - Throws: ``ModelError/alreadyExists`` if `path` exists and `overwriting` is false,
  ///   and ``ModelError/unwritable`` if the bundle cannot be written.
  public func export(to path: String, overwriting: Bool = false) throws(ModelError) {
    let syncedModels = try syncedModels()
    let models = syncedModels.mapValues(\.model)
      .merging([description.modelFile: weights.model]) { _, trained in trained }
    try AtomicDirectoryWriter.write(path, overwriting: overwriting) {
      (staging) throws(ModelError) in
      try weights.withLock { (revision) throws(ModelError) in
        for model in syncedModels.values { try model.sync(to: revision) }
        let files = [
          BundleFolder.descriptionName: try exampleRegenerator().regeneratedDescription(),
          ProvenanceCard.fileName: ProvenanceCard(bundle, steps: weights.stepCount).contents,
        ]
        try TrainedBundleWriter(
          folder: bundle.folder, models: models, generatedFiles: files, target: staging
        ).write()
      }
    }
  }

  /// Creates a regenerator for the examples.
  ///
  /// The caller has to hold the lock of the weights.
  private func exampleRegenerator() throws(ModelError) -> ExampleRegenerator {
    let mode = bundle.description.defaultMode
    let loaded = try modeModel(mode).model
    // The options that change outputs are left at their defaults, as in a validation of the bundle.
    let options = OpeningOptions(mode: mode, threads: options.threads)
    return ExampleRegenerator(
      bundle: bundle, model: try Model(bundle, on: backend, options: options, loaded: loaded))
  }

  /// The models of other modes that have a file of their own, by file name.
  private func syncedModels() throws(ModelError) -> [String: WeightSyncedModel] {
    var models: [String: WeightSyncedModel] = [:]
    for mode in ModelMode.allCases where bundle.description.modes.contains(mode) {
      let file = bundle.description.resolved(for: mode).modelFile
      guard file != description.modelFile, models[file] == nil else { continue }
      models[file] = try modeModel(mode).synced
    }
    return models
  }
}

/// Copies the files of a bundle with other models and generated files, and writes a manifest.
private struct TrainedBundleWriter {
  /// A file with the expected outputs of the project's test bundles, which are invalid for new
  /// weights.
  private static let expectationsFileName = "expected.json"

  let folder: BundleFolder
  let models: [String: any TrainableRuntimeModel]
  let generatedFiles: [String: [UInt8]]
  let target: String

  func write() throws(ModelError) {
    let others = generatedFiles.keys + BundleManifest.excludedNames + [Self.expectationsFileName]
    let tree = try tree(excluding: Array(others))
    let models = models.map { (path: $0.key.normalizedPath, model: $0.value) }
    let isOfModel = { (path: String) in
      models.contains { path == $0.path || path.hasPrefix($0.path + "/") }
    }
    // `BundleManifest.write` removes empty folders.
    for path in tree.folders where !isOfModel(path) {
      try mapFileErrors(at: path) { (target) throws(FileError) in
        try FileSystem.createDirectory(target)
      }
    }
    for (path, model) in models { try model.save(to: "\(target)/\(path)") }
    for file in tree.files where !isOfModel(file.path) {
      try mapFileErrors(at: file.path) { (target) throws(FileError) in
        try FileSystem.copy("\(tree.root)/\(file.path)", to: target)
      }
    }
    for (name, contents) in generatedFiles {
      try mapFileErrors(at: name) { (target) throws(FileError) in
        try AtomicFile.write(contents, to: target, isDurable: false)
      }
    }
    try BundleManifest.write(into: target)
  }

  private func tree(excluding names: [String]) throws(ModelError) -> BundleFileTree {
    do throws(ArchiveError) {
      return try BundleFileTree(of: folder.root, maxBytes: .max, excluding: names)
    } catch {
      throw ModelError(
        .bundle, .invalidArchive(code: error.code, detail: error.folderDescription),
        file: folder.path)
    }
  }

  /// Runs a closure with the new path of a file and converts its errors to errors that name the file.
  private func mapFileErrors(
    at path: String, _ body: (String) throws(FileError) -> Void
  ) throws(ModelError) {
    try AtomicDirectoryWriter.mapFileErrors(at: path) { () throws(FileError) in
      try body("\(target)/\(path)")
    }
  }
}

extension String {
  /// The path without empty and `.` components.
  fileprivate var normalizedPath: String {
    split(separator: "/").filter { $0 != "." }.joined(separator: "/")
  }
}

/// Replaces the expected outputs of a bundle's examples with the outputs of a model.
struct ExampleRegenerator {
  let bundle: ModelBundle
  let model: Model

  /// Returns the bundle's description with new outputs in its examples and no other changes.
  func regeneratedDescription() throws(ModelError) -> [UInt8] {
    var text = try bundle.folder.descriptionBytes()
    guard let document = try? JSONDocument(parsing: text, dialect: .modelDescription) else {
      return text
    }
    // In reverse order, so that the ranges of the preceding examples remain valid.
    for (index, example) in bundle.description.examples.enumerated().reversed() {
      guard let output = document.node(at: "/examples/\(index)/output"),
        let actual = try? model.run(bundle.input(of: example))
      else { continue }
      text.replaceSubrange(output.range, with: json(actual, for: example))
    }
    return text
  }

  /// Returns the outputs that an example declares, except images, which are in separate files.
  private func json(_ output: ModelOutput, for example: ModelExample) -> [UInt8] {
    var writer = JSONWriter()
    writer.object { writer in
      for layer in output.layers where example.outputTexts[layer.name] != nil {
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
    case .bytes(let bytes): member(name, Self.base64(bytes))
    case .strings(let strings):
      member(name) { writer in strings.bytes.forEach { writer.value(Self.base64($0)) } }
    case .image, .audio, .tokens, .list: break
    }
  }

  private static func base64(_ bytes: [UInt8]) -> String {
    ModelBundle.base64Prefix + Data(bytes).base64EncodedString()
  }
}

/// The note on a trained bundle's origin, at the beginning of its card.
struct ProvenanceCard {
  /// The file with the description of a model for people.
  static let fileName = "CARD.md"
  /// The maximum size of the original card; a larger one is omitted.
  private static let maxBytes = 1 << 20

  private let bundle: ModelBundle
  private let steps: Int

  init(_ bundle: ModelBundle, steps: Int) {
    self.bundle = bundle
    self.steps = steps
  }

  /// The note, followed by the card of the original bundle if it has one.
  var contents: [UInt8] {
    guard let card = try? bundle.folder.bytes(of: Self.fileName, limit: Self.maxBytes) else {
      return Array((provenance + "\n").utf8)
    }
    let notice =
      "The following text describes that bundle; its metrics do not apply to this one.\n\n"
    return Array("\(provenance) \(notice)".utf8) + card
  }

  private var provenance: String {
    let day = Date.now.formatted(.iso8601.year().month().day())
    let count = steps == 1 ? "1 step" : "\(steps) steps"
    return "Trained further from the bundle \(bundle.id) (version \(bundle.version)): "
      + "\(count), until \(day)."
  }
}
