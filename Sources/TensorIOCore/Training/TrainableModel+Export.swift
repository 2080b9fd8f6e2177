internal import TensorIOSystem

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
    let followers = try followers()
    let models = followers.mapValues(\.model)
      .merging([description.modelFile: weights.model]) { _, trained in trained }
    try WholeFolder.write(path, overwriting: overwriting) { (staging) throws(ModelError) in
      try weights.hold { (latest) throws(ModelError) in
        for follower in followers.values { try follower.follow(to: latest) }
        let texts = [
          BundleFolder.descriptionName: try examples().description(),
          TrainingNote.fileName: TrainingNote(bundle, steps: weights.stepCount).card,
        ]
        try BundleExport(folder: bundle.folder, models: models, texts: texts, target: staging)
          .write()
      }
    }
  }

  /// The bundle's examples, answered by weights that nobody changes meanwhile.
  private func examples() throws(ModelError) -> AnsweredExamples {
    let mode = bundle.description.firstMode
    let model = try runtimeModel(for: mode)
    let backend = LoadedBackend(
      identifier: backend.identifier, model: (model as? FollowingModel)?.model ?? model)
    // As a checker of the bundle opens it: none of the options that change what comes out.
    let options = Model.Options(threads: options.threads, mode: mode)
    return AnsweredExamples(bundle: bundle, model: try Model(bundle, on: backend, options: options))
  }

  /// The models that have files of their own, by those.
  private func followers() throws(ModelError) -> [String: FollowingModel] {
    var models: [String: FollowingModel] = [:]
    for mode in ModelMode.allCases where bundle.description.modes.contains(mode) {
      let file = bundle.description.inMode(mode).modelFile
      guard file != description.modelFile, models[file] == nil else { continue }
      models[file] = try runtimeModel(for: mode) as? FollowingModel
    }
    return models
  }
}

/// The files of a bundle, copied, with other models and texts in the place of its own, and a manifest
/// of what has come of it.
private struct BundleExport {
  /// The file by which this project's bundles are tested, which speaks of other weights.
  private static let expectations = "expected.json"

  let folder: BundleFolder
  let models: [String: any TrainableRuntimeModel]
  let texts: [String: [UInt8]]
  let target: String

  func write() throws(ModelError) {
    let others = texts.keys + BundleManifest.ownNames + [Self.expectations]
    for name in try names(in: "") where !others.contains(name) { try write(name) }
    for (name, text) in texts {
      try WholeFolder.at(name) { () throws(FileFault) in
        try CompleteFile.write(text, to: target + "/" + name)
      }
    }
    try BundleManifest.write(into: target)
  }

  private func write(_ name: String) throws(ModelError) {
    let source = try folder.locate(name)
    if let model = models.first(where: { $0.key.namesSame(as: name) })?.value {
      return try model.save(to: target + "/" + name)
    }
    guard FileKind(at: source) == .folder else {
      return try WholeFolder.at(name) { () throws(FileFault) in
        try Folder.copy(source, to: target + "/" + name)
      }
    }
    let entries = try names(in: name)
    guard !entries.isEmpty else { return }
    try WholeFolder.at(name) { () throws(FileFault) in try Folder.make(target + "/" + name) }
    for entry in entries { try write(name + "/" + entry) }
  }

  /// Without hidden files, which are the system's and no bundle's.
  private func names(in name: String) throws(ModelError) -> [String] {
    let path = name.isEmpty ? folder.root : try folder.locate(name)
    let names = try WholeFolder.at(path) { () throws(FileFault) in try Folder.names(in: path) }
    return names.filter { !$0.hasPrefix(".") }
  }
}

extension String {
  /// Whether two names inside a bundle are the same file's.
  fileprivate func namesSame(as other: String) -> Bool {
    split(separator: "/").filter { $0 != "." } == other.split(separator: "/").filter { $0 != "." }
  }
}
