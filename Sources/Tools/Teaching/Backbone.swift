import TensorIOBundle
import TensorIOCore
import TensorIOSystem
import TensorIOTasks

/// The model whose embeddings are classified, as it was before it was given a head.
struct Backbone: Sendable {
  /// The model, which has an output with the role `embedding`.
  let model: Model
  /// The runtime, which writes model files.
  let writer: any HeadWritingBackend
  /// The contents of `model.json`.
  let description: [UInt8]
  /// What was learned before; `nil` for a model that was not taught.
  let record: TeachingRecord?
  /// The tensor with the embedding, of a model that did not return it; `nil` otherwise.
  let layer: String?
  /// The contents of `model.json` of the bundle with which the model is trained; `nil` if it cannot be trained.
  let trainableDescription: [UInt8]?
  /// The bundle with which the model is trained; `nil` if it cannot be trained, or is that of a taught bundle.
  private let trainableBundle: ModelBundle?
  /// The folder with the files of the model, if they had to be changed.
  private let folder: TemporaryDirectory?
  /// The folder with the bundle that the backbone was made of; `nil` if it is not temporary.
  var source: TemporaryDirectory?

  /// Prepares a model: restores the backbone of a taught one, and lets a classifier return its embedding.
  ///
  /// - Parameter model: A bundle with an embedding, a classifier, or a taught bundle.
  /// - Throws: `ModelError` if the model has no embedding, or its file cannot be changed.
  init(_ model: Model) throws(ModelError) {
    let bundle = model.bundle
    guard let backend = model.backend, !bundle.isChain else {
      throw ModelError(
        .bundle, .unsupported("teaching a chain, or a model of an application"), file: bundle.path)
    }
    guard let writer = backend as? any HeadWritingBackend else {
      throw ModelError.unsupportedHead(in: bundle.backend).in(file: bundle.path)
    }
    let description = bundle.description
    guard description.state.isEmpty, description.caches.isEmpty, description.functions.isEmpty
    else {
      throw ModelError(
        .bundle, .unsupported("teaching a model with state, caches or functions"),
        file: bundle.path)
    }
    self.writer = writer
    record = try TeachingRecord(of: bundle)
    guard record == nil else {
      let restored = try Self.restored(bundle, writer)
      (self.model, folder) = (try Self.open(restored.folder, on: backend), restored.folder)
      (self.description, layer) = (restored.description, restored.layer)
      (trainableBundle, trainableDescription) = (
        nil, try Self.trainableDescription(of: bundle, restored.description)
      )
      return
    }
    let isTrainable = description.modes.contains(.train)
    trainableBundle = isTrainable ? bundle : nil
    trainableDescription = isTrainable ? try bundle.folder.descriptionBytes() : nil
    let output = model.outputs.firstIndex { $0.role == .embedding }
    let type = output.flatMap { model.signature?.outputs[$0].elementType }
    let isFloat = type?.isFloatingPoint ?? false
    let file = try bundle.modelFile
    let use = ModelBinding(description, mode: description.defaultMode)
    let copy =
      isFloat
      ? nil
      : try writer.copyReturningEmbedding(
        of: file, output.map(EmbeddingSource.output) ?? .lastLayer, for: use)
    if output != nil, copy == nil {
      (self.model, folder, layer) = (model, nil, nil)
      self.description = try bundle.folder.descriptionBytes()
      return
    }
    let changed = try Self.returningEmbedding(bundle, copy, writer)
    (self.model, folder) = (try Self.open(changed.folder, on: backend), changed.folder)
    (self.description, layer) = (changed.description, changed.layer)
  }

  /// Returns the layers of a model that could be embeddings, the most suitable ones first; none if it cannot be changed.
  static func embeddingLayers(of model: Model) -> [EmbeddingLayer] {
    guard !model.bundle.isChain, let writer = model.backend as? any HeadWritingBackend,
      let file = try? model.bundle.modelFile
    else { return [] }
    return (try? writer.embeddingLayers(of: file)) ?? []
  }

  /// The backbone's bundle.
  var bundle: ModelBundle { model.bundle }

  /// The number of elements of an embedding; `nil` if the model does not declare it.
  var embeddingLength: Int? {
    guard let output = model.outputs.first(where: { $0.role == .embedding }) else { return nil }
    let axes = output.shape.dimensions
    if HeadPooling(bundle.description.task, inputs: model.inputs) != nil { return axes.last ?? nil }
    let sizes = axes.first == .some(nil) ? axes.dropFirst() : axes[...]
    return sizes.reduce(1) { product, size in product.flatMap { known in size.map { known * $0 } } }
  }

  /// Returns the bundle with which the model is trained, which has the present weights.
  ///
  /// - Returns: The bundle, and its folder if it is temporary; `nil` if the model cannot be trained.
  /// - Throws: `ModelError` if the files cannot be read or written.
  func trainable() throws(ModelError) -> (bundle: ModelBundle, folder: TemporaryDirectory?)? {
    guard let trainableDescription else { return nil }
    if let trainableBundle { return (trainableBundle, nil) }
    var files = [BundleFolder.descriptionName: trainableDescription]
    if trainableDescription != description {
      // The model file may return the embedding in place of the outputs of the description.
      let outputs = try Self.parsed(trainableDescription).outputs.map(\.name)
      let file = try bundle.modelFile
      if let bytes = try writer.copyWithoutHead(of: file, outputs: outputs) {
        files[try writer.location(ofHeadIn: file).file] = bytes
      }
    }
    let folder = try Self.copy(of: bundle, replacing: files, omitting: [])
    return (try Self.bundle(in: folder), folder)
  }

  /// Returns the description with which the backbone of a taught bundle is trained.
  private static func trainableDescription(
    of bundle: ModelBundle, _ description: [UInt8]
  ) throws(ModelError) -> [UInt8]? {
    let name = "\(BundleFolder.assetsName)/\(TeachingRecord.Files.trainable)"
    if (try? bundle.folder.resolvedPath(of: name)) != nil {
      return try bundle.bytes(ofAsset: TeachingRecord.Files.trainable)
    }
    return try parsed(description).modes.contains(.train) ? description : nil
  }

  private static func parsed(_ description: [UInt8]) throws(ModelError) -> ModelDescription {
    try DescriptionReader.standard.read(description).get()
  }

  /// A copy of a bundle in a temporary folder.
  private typealias Copy = (folder: TemporaryDirectory, description: [UInt8], layer: String?)

  private static let folderName = "backbone.tiobundle"

  private static func open(
    _ folder: TemporaryDirectory, on backend: any Backend
  ) throws(ModelError) -> Model {
    try Model(bundle(in: folder), on: backend)
  }

  private static func bundle(in folder: TemporaryDirectory) throws(ModelError) -> ModelBundle {
    try ModelBundle(
      at: "\(folder.path)/\(folderName)", trust: .unrestricted, reader: .standard)
  }

  /// Returns a copy of a taught bundle without its head.
  private static func restored(
    _ bundle: ModelBundle, _ writer: any HeadWritingBackend
  ) throws(ModelError) -> Copy {
    let description = try bundle.bytes(ofAsset: TeachingRecord.Files.backbone)
    let outputs = try parsed(description).outputs.map(\.name)
    let file = try bundle.modelFile
    guard
      let bytes = try writer.copyWithoutHead(of: file, outputs: outputs)
    else {
      throw ModelError(
        .bundle, .unmetRequirement("the model of a taught bundle has no head any more"),
        file: file.path)
    }
    return (
      try copy(
        of: bundle,
        replacing: [
          try writer.location(ofHeadIn: file).file: bytes,
          BundleFolder.descriptionName: description,
        ],
        omitting: TeachingRecord.Files.all), description, nil
    )
  }

  /// Returns a copy of a bundle whose model returns an embedding of floating-point numbers in place of its outputs.
  private static func returningEmbedding(
    _ bundle: ModelBundle, _ copy: EmbeddingModelCopy?, _ writer: any HeadWritingBackend
  ) throws(ModelError) -> Copy {
    var description = bundle.description.resolved(for: bundle.description.defaultMode)
    let file = try bundle.modelFile
    var changed = copy
    var files: [String: [UInt8]] = [:]
    if changed == nil, description.outputs.count == 1, description.outputs[0].isNumeric,
      description.outputs[0].labelsFile == nil, description.task == nil
    {
      // An output that is no classifier's, such as that of a model without its last layer.
      changed = try writer.copyReturningEmbedding(
        of: file, .output(0), for: ModelBinding(description, mode: description.defaultMode))
      description.outputs[0].role = .embedding
    } else if changed == nil {
      throw ModelError(
        .bundle,
        .unmetRequirement(
          "the bundle has no output with the role \"embedding\", and its last layer with weights is not a dense one"
        ), file: bundle.path)
    }
    if let changed {
      let shape = TensorShape(changed.shape.map { $0 < 0 ? nil : $0 })
      let layer = NumericLayer(shape: shape, elementType: .float32)
      description.outputs = [Layer(name: changed.tensor, kind: .array(layer), role: .embedding)]
      files[try writer.location(ofHeadIn: file).file] = changed.bytes
    }
    description.task = TaskRegistry.shared.format(fitting: description.outputs).map { format in
      TaskDescription(type: format.names[0])
    }
    (description.examples, description.modeOverrides) = ([], [:])
    (description.modes, description.trainingOperations) = ([.predict], [])
    files[BundleFolder.descriptionName] = description.json
    return (
      try Self.copy(of: bundle, replacing: files, omitting: []), description.json, changed?.tensor
    )
  }

  private static func copy(
    of bundle: ModelBundle, replacing files: [String: [UInt8]], omitting omitted: [String]
  ) throws(ModelError) -> TemporaryDirectory {
    let folder = try AtomicDirectoryWriter.mapFileErrors(at: "the temporary folder") {
      () throws(FileError) in try TemporaryDirectory(prefix: "tensorio-teach")
    }
    let path = "\(folder.path)/\(folderName)"
    try AtomicDirectoryWriter.mapFileErrors(at: path) { () throws(FileError) in
      try FileSystem.createDirectory(path)
    }
    try BundleCopy(of: bundle, replacing: files, omitting: omitted).write(to: path)
    return folder
  }
}
