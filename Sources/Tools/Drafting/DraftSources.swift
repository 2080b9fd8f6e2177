package import TensorIOBundle
package import TensorIOCore
package import TensorIOData
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// The inputs of a bundle draft: a model with its metadata and labels.
package struct DraftSources: Sendable {
  /// The model's signature.
  package var signature: ModelSignature
  /// The signature whose function trains the model; `nil` if there is none.
  var trainingSignature: ModelSignature?
  /// What is not supported of each output that has no layer.
  var omittedOutputs: [String] = []
  /// The format of the model.
  package var format = ModelFormat.tflite
  /// The runtime that loaded the model; `nil` if none did.
  package private(set) var runtime: (any Backend)?
  /// Whether layers must have the names of their tensors; otherwise they are matched by order.
  package var requiresTensorNames = false
  /// The paths of other files that the model consists of, relative to its folder.
  private(set) var companionFiles: [String] = []
  /// Whether the runtime takes the model for one of Keras.
  var isKerasModel = false
  /// The folder that the model was published in; `nil` for a model alone.
  package private(set) var hub: HubFolder?
  /// The preparation of images that the folder states; `nil` if it has none.
  private(set) var hubImages: HubImagePreparation?
  /// The preparation of sound that the folder states; `nil` if it states none.
  private(set) var hubSpectrogram: HubSpectrogram?
  /// What PaddleOCR states beside the model; `nil` for other models.
  private(set) var paddle: PaddleSettings?
  /// The outputs with the attention of a decoder to its encoder, as a pattern; `nil` if there are none.
  private(set) var attentions: String?
  /// The tokenizer beside the model; `nil` without one.
  private(set) var tokenizer: TokenizerDescription?
  /// The path of the model.
  package private(set) var modelPath = ""
  /// The layer that became the only output; `nil` if the outputs are those of the model.
  private(set) var embeddingLayer: String?
  /// The folder of the copy with this output.
  private(set) var copyFolder: TemporaryDirectory?
  /// The caches of the model, which are not in ``signature``.
  private(set) var caches: [CacheLink] = []
  /// The other models that the model needs, by the names of their functions.
  private(set) var functions: [String: DraftSources] = [:]
  /// The metadata embedded in the model.
  package var metadata: ModelMetadata?
  /// The metadata that the exporter wrote beside the model.
  package var exportMetadata: AutoMLMetadata?
  /// The labels of an output's elements.
  package var labels: LabelList?
  /// The contents of the files of tokenizers and calibrations that are stored in the model, by name.
  private(set) var embeddedFiles: [String: [UInt8]] = [:]
  /// The name of the model file, without its extension.
  package let fileStem: String
  /// The name requested by the user.
  package var name: String?
  /// The pixel range requested by the user.
  package var pixelRange: PixelRange?
  /// What the model applies to each input first; `nil` for an input that its graph does not show.
  package var rescalings: [InputRescaling?] = []

  /// The file name of the model in the drafted bundle.
  var bundledModelName: String {
    if case .file(let name) = format.files.first { "model.\(name)" } else { "model" }
  }

  /// The name that the layer of a tensor must have, or `nil` if the runtime identifies layers by
  /// position.
  func requiredName(of tensor: TensorInfo) -> String? {
    requiresTensorNames ? tensor.signatureKey ?? tensor.name : nil
  }

  /// Names the classes after the labels of images, in alphabetical order, if the model has no labels
  /// and as many classes.
  package mutating func addLabels(of images: LabeledImages) {
    guard labels == nil,
      signature.outputs.contains(where: { $0.shape.elementCount == images.labels.count })
    else { return }
    labels = LabelList(labels: images.labels, file: images.path, source: .labels)
  }

  /// What the model applies to an input first; `nil` if its graph does not show it.
  func rescaling(ofInput index: Int) -> InputRescaling? {
    rescalings.indices.contains(index) ? rescalings[index] : nil
  }

  /// Whether the model was probably exported from Keras, which resizes images without cropping.
  var isFromKeras: Bool {
    isKerasModel || signature.inputs.contains { $0.name.hasPrefix("serving_default_") }
  }

  /// Returns the embedded metadata of an input.
  func metadata(forInput index: Int) -> ModelMetadata.TensorMetadata? {
    metadata.flatMap { $0.inputs.indices.contains(index) ? $0.inputs[index] : nil }
  }

  /// Returns the tokenizer of an input, if its files are stored in the model or beside it.
  func tokenizer(forInput index: Int) -> TokenizerDescription? {
    if let tokenizer, part(ofInput: index) != nil { return tokenizer }
    guard let tokenizer = metadata(forInput: index)?.tokenizer,
      tokenizer.files.allSatisfy({ embeddedFiles[$0] != nil }),
      tokenizer.files.allSatisfy({ BundlePath.rejectionReason(for: $0) == nil })
    else { return nil }
    return tokenizer
  }

  /// Returns the part of a tokenized text that an input takes, by its name; `nil` for other inputs.
  func part(ofInput index: Int) -> TextLayer.Part? {
    let tensor = signature.inputs[index]
    let part = TextLayer.Part(tensorNamed: tensor.signatureKey ?? tensor.name)
    // The mask of a decoder can be what attention adds to its scores, for each token and each place in the caches.
    if part == .mask, !caches.isEmpty { return part }
    guard tensor.elementType.isInteger || tensor.elementType == .bool,
      tensor.shape.dimensions.count <= 2
    else { return nil }
    return part
  }

  /// Whether the inputs are the parts of a text, by the names that exporters of language models give them.
  var takesTokens: Bool {
    let names = Set(signature.inputs.map { $0.signatureKey ?? $0.name })
    return names.isSuperset(of: ["input_ids", "attention_mask"])
  }

  /// Returns the sources of a copy of the model with an embedding as its only output.
  func replacingOutputs(
    by copy: EmbeddingModelCopy, in folder: TemporaryDirectory
  ) -> DraftSources {
    var sources = self
    sources.modelPath = folder.path + "/" + FilePath.lastComponent(of: modelPath)
    sources.copyFolder = folder
    sources.embeddingLayer = copy.tensor
    sources.signature = ModelSignature(
      name: signature.name, inputs: signature.inputs,
      outputs: [
        TensorInfo(
          name: copy.tensor, elementType: .float32,
          shape: TensorShape(copy.shape.map { $0 < 0 ? nil : $0 }))
      ])
    // What describes the outputs that the model had.
    (sources.labels, sources.exportMetadata, sources.trainingSignature) = (nil, nil, nil)
    sources.metadata?.outputs = []
    sources.metadata?.task = nil
    (sources.functions, sources.omittedOutputs) = ([:], [])
    return sources
  }

  /// Returns the embedded metadata of an output.
  func metadata(forOutput index: Int) -> ModelMetadata.TensorMetadata? {
    metadata.flatMap { $0.outputs.indices.contains(index) ? $0.outputs[index] : nil }
  }
}

/// Labels and the file they come from.
package struct LabelList: Sendable, Equatable {
  package var labels: [String]
  package let file: String
  package let source: DraftedValue.Source

  package init(
    labels: [String], file: String, source: DraftedValue.Source
  ) {
    self.labels = labels
    self.file = file
    self.source = source
  }

  /// Labels that are stored in a model.
  fileprivate init(embedded labels: EmbeddedLabels) {
    self.init(labels: labels.labels, file: labels.source, source: .embedded)
  }

  /// Whether the first label denotes the background class.
  var startsWithBackground: Bool {
    labels.first.map { Self.backgroundNames.contains($0.lowercased()) } ?? false
  }

  private static let backgroundNames: Set<String> = [
    "background", "???", "dummy", "__background__",
  ]
}

extension DraftSources {
  /// Loads a model, and reads its metadata and labels.
  ///
  /// - Parameters:
  ///   - path: The path of the model, or of a folder as model hubs publish it.
  ///   - variant: Which of the models of the folder is meant.
  ///   - labels: The path of a file with labels.
  ///   - exportMetadata: The path of the metadata of an exporter.
  ///   - name: The name of the model.
  ///   - pixelRange: The range of pixels that the model expects.
  ///   - runtimes: The runtimes.
  /// - Throws: An ``OperationError`` if a file cannot be read, or no runtime loads the model.
  package init(
    model path: String, variant: String? = nil, labels: String?, exportMetadata: String?,
    name: String?,
    pixelRange: PixelRange? = nil,
    on runtimes: [ConfiguredRuntime]
  ) throws(OperationError) {
    guard FileKind(at: path) != nil else {
      throw OperationError(
        "missing-file", "no such file or folder '\(path)'", exitCode: .invalidBundle)
    }
    let descriptors = runtimes.map(\.descriptor)
    let (path, hub) = try Self.model(at: path, variant, descriptors)
    let isFolder = FileKind(at: path) == .directory
    try Self.rejectOtherFormats(path, descriptors)
    guard let descriptor = descriptors.runtime(forModelAt: path, isFolder: isFolder),
      let backend = runtimes.first(where: { $0.backend.identifier == descriptor.identifier })?
        .backend as? any DraftingBackend
    else { throw Self.unknownFormat(path, descriptors) }
    var file = ModelFile(path: path, name: path)
    file.links = hub?.linkedFolder.map { .init(in: FilePath.parent(of: path), to: [$0]) }
    let bare = try Self.load(file, backend)
    if CacheDraft.readsEncoder(bare.model.signature), let encoder = HubFolder.encoder(of: path) {
      functions[CacheDraft.encoderName] = try DraftSources(
        model: encoder, labels: nil, exportMetadata: nil, name: nil, pixelRange: pixelRange,
        on: runtimes)
    }
    for task in TaskRegistry.shared.tasks {
      for (name, path) in task.functions(of: path, bare.model.signature) {
        functions[name] = try DraftSources(
          model: path, labels: nil, exportMetadata: nil, name: nil, on: runtimes)
      }
    }
    let encoder = functions[CacheDraft.encoderName]?.signature
    let caches = CacheDraft(bare.model.signature, hub, encoder: encoder)
    (signature, self.caches) = (caches.signature, caches.links)
    attentions = caches.attentions
    (modelPath, self.hub) = (path, hub)
    (trainingSignature, metadata) = (bare.trainingSignature, bare.metadata)
    (requiresTensorNames, isKerasModel) = (bare.requiresTensorNames, bare.isFromKeras)
    (format, runtime) = (descriptor.format, backend)
    (companionFiles, omittedOutputs) = (bare.companionFiles, bare.omittedOutputs)
    let rescaling = bare.model.abilities.rescaling
    rescalings = signature.inputs.indices.map { rescaling?($0) }
    let tokenizers = metadata?.inputs.compactMap(\.tokenizer) ?? []
    let calibrations = metadata?.outputs.compactMap(\.calibration) ?? []
    for name in Set(tokenizers.flatMap(\.files) + calibrations.map(\.file)) {
      embeddedFiles[name] = try backend.embeddedFile(name, in: file)
    }
    hubImages = hub.flatMap(HubImagePreparation.init)
    hubSpectrogram = hub.flatMap(HubSpectrogram.init)
    paddle = hub == nil ? PaddleSettings(besideModel: path) : nil
    fileStem = hub?.name ?? paddle?.modelName ?? FilePath.stem(of: path)
    if let characters = paddle?.characters {
      var described = metadata ?? ModelMetadata()
      described.characters = described.characters ?? characters
      metadata = described
    }
    if hub != nil || takesTokens { try addTokenizer() }
    (self.name, self.pixelRange) = (name, pixelRange)
    if let exportMetadata { self.exportMetadata = try Self.readExportMetadata(exportMetadata) }
    if let labels {
      self.labels = try Self.readLabels(labels)
    } else if let found = bare.labels {
      self.labels = LabelList(embedded: found)
    } else if let found = try backend.embeddedLabels(in: file, metadata) {
      self.labels = LabelList(embedded: found)
    } else if let labels = hub?.labels {
      self.labels = LabelList(labels: labels, file: HubFolder.File.config.rawValue, source: .folder)
    }
  }

  /// The classes that read `vocab.txt` as BERT does.
  private static let tokenizersOfBERT: Set = [
    "BertTokenizer", "BertTokenizerFast", "DistilBertTokenizer", "DistilBertTokenizerFast",
    "ElectraTokenizer", "ElectraTokenizerFast", "MobileBertTokenizer", "MobileBertTokenizerFast",
  ]

  /// Adds the tokenizer that is beside the model, or in the folder that it was published in.
  private mutating func addTokenizer() throws(OperationError) {
    let folder = hub?.path ?? FilePath.parent(of: modelPath)
    let isOfBERT =
      hub?[.tokenizer, "tokenizer_class"]?.string.map(Self.tokenizersOfBERT.contains) ?? true
    let lowercases = hub?[.tokenizer, "do_lower_case"]?.bool
    let candidates = [
      TokenizerDescription(.huggingFace, file: HubFolder.tokenizerName),
      isOfBERT
        ? TokenizerDescription(.wordPiece, file: "vocab.txt", lowercases: lowercases) : nil,
    ]
    tokenizer = candidates.compactMap(\.self).first { FileKind(at: "\(folder)/\($0.file)") != nil }
    for name in tokenizer?.files ?? [] {
      embeddedFiles[name] = try Self.bytes(
        of: "\(folder)/\(name)", limit: ModelBundle.maxTokenizerBytes)
    }
  }

  /// Returns the path of a model, and the folder that it was published in.
  private static func model(
    at path: String, _ variant: String?, _ runtimes: [RuntimeDescriptor]
  ) throws(OperationError) -> (path: String, hub: HubFolder?) {
    try OperationError.rethrowing { () throws(ModelError) in
      guard FileKind(at: path) == .directory else { return (path, HubFolder(of: path)) }
      let isModel = { file in runtimes.contains { $0.format.matches(modelAt: file) } }
      guard let hub = try HubFolder(at: path) else {
        let only = isModel(path) ? nil : HubFolder.onlyModel(in: path, isModel: isModel)
        return (only ?? path, only.flatMap(HubFolder.init(of:)))
      }
      return (try hub.model(variant: variant, isModel: isModel), hub)
    }
  }

  /// Throws an error that explains how to convert a file of another framework.
  private static func rejectOtherFormats(
    _ path: String, _ runtimes: [RuntimeDescriptor]
  ) throws(OperationError) {
    guard FileKind(at: path) == .file,
      !runtimes.contains(where: { $0.format.matches(modelAt: path) })
    else { return }
    switch FilePath.pathExtension(of: path) {
    case "keras", "h5", "hdf5":
      throw unknownFormat(
        path, runtimes,
        "a Keras file has to be exported: keras.saving.load_model(\"\(path)\").export(\"folder\") "
          + "writes a SavedModel in Python")
    case "pt", "pth", "pt2", "safetensors":
      throw unknownFormat(
        path, runtimes,
        hint: "; in Python, torch.onnx.export(model, inputs, \"model.onnx\") does that")
    case "task":
      throw unknownFormat(
        path, runtimes,
        "a .task file is a zip archive of several models: unzip it, and name one of its .tflite files"
      )
    case "onnx": throw unknownFormat(path, runtimes)
    default: return
    }
  }

  /// The error for a file that no runtime takes.
  private static func unknownFormat(
    _ path: String, _ runtimes: [RuntimeDescriptor], _ remedy: String? = nil, hint: String = ""
  ) -> OperationError {
    let names = runtimes.map(\.displayName).joined(separator: " or ")
    let kinds = runtimes.flatMap(\.format.files).map(\.description).joined(separator: " or ")
    let remedy = remedy ?? "the model has to be converted to \(kinds)\(hint)"
    return OperationError(
      ModelError(.runtime, .unmetRequirement("not a model of \(names); \(remedy, as: "remedy")"))
        .in(file: path))
  }

  private static func load(
    _ file: ModelFile, _ backend: any DraftingBackend
  ) throws(OperationError) -> BareModel {
    do throws(ModelError) {
      let bare = try backend.bareModel(at: file)
      // Rejects models that the runtime cannot prepare.
      _ = try bare.model.makeSession(SessionOptions())
      return bare
    } catch {
      throw OperationError(error.in(file: file.path))
    }
  }

  // MARK: Files given by the user

  private static func readLabels(_ path: String) throws(OperationError) -> LabelList {
    let bytes = try bytes(of: path, limit: LabelsFile.maxBytes)
    return LabelList(labels: try lines(bytes, path), file: path, source: .labels)
  }

  private static func readExportMetadata(_ path: String) throws(OperationError) -> AutoMLMetadata {
    let bytes = try bytes(of: path, limit: JSONLimits.maxDescriptionBytes)
    do throws(JSONError) {
      return try AutoMLMetadata(bytes)
    } catch {
      throw .input("invalid-json", "\(path): \(error)")
    }
  }

  private static func bytes(of path: String, limit: Int) throws(OperationError) -> [UInt8] {
    do throws(ModelError) {
      return try FileBytes.read(path, limit: limit, .any, stage: .input)
    } catch {
      throw OperationError(error)
    }
  }

  private static func lines(_ bytes: [UInt8], _ file: String) throws(OperationError) -> [String] {
    do throws(ModelError) {
      return try LabelsFile.parse(bytes, named: file)
    } catch {
      throw .input(error.code, error.message)
    }
  }
}
