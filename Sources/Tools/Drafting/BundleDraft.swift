package import TensorIOBundle
package import TensorIOCore
import TensorIOImage
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// A bundle description drafted from a bare model, with the source of each value.
package struct BundleDraft: Sendable {
  /// The drafted description.
  package private(set) var description: ModelDescription
  /// The labels to write into the bundle's assets, if any.
  private(set) var labels: [String]?
  /// The contents of other assets, by name.
  private(set) var assets: [String: [UInt8]] = [:]
  /// The path of the model.
  package let modelPath: String
  /// The paths of other files that the model consists of, relative to its folder.
  let companionFiles: [String]
  /// The drafts of the bundle's functions, by name.
  private(set) var functions: [String: BundleDraft] = [:]
  /// Whether the image input holds floats, which may have any range.
  private let pixelTypeIsFloat: Bool
  /// The drafted values and their sources.
  package private(set) var draftedValues: [DraftedValue] = []

  /// The name of the labels file in a drafted bundle.
  static let labelsFileName = "labels.txt"
  /// The name of the file with calibrations in a drafted bundle.
  static let calibrationFileName = "calibration.txt"

  /// Drafts a description from the available sources.
  package init(from sources: DraftSources) {
    let states = StatePairs(sources.signature)
    let roles = DetectorRoles(sources)
    let inputs = InputDraft(sources, states, isDetector: roles.isDetection)
    let outputs = OutputDraft(
      sources, states, roles, hasImageInput: inputs.firstImageIndex != nil)
    pixelTypeIsFloat =
      inputs.firstImageIndex.map {
        sources.signature.inputs[$0].elementType.isFloatingPoint
      } ?? false
    (modelPath, companionFiles) = (sources.modelPath, sources.companionFiles)
    description = ModelDescription(
      modelFile: sources.bundledModelName, backend: sources.format.backend, inputs: inputs.layers,
      outputs: outputs.layers)
    description.isQuantized = Self.isQuantized(sources.signature, inputs.firstImageIndex)
    if outputs.isDetection || outputs.isEmbedding {
      description.task = TaskRegistry.shared.format(fitting: description.outputs).map {
        TaskDescription(type: $0.names[0])
      }
    }
    let settings = TaskSettingsDraft(sources, roles, isDetection: outputs.isDetection)
    for (key, value) in settings.settings { description.task?.settings[key] = value }
    addFunctions(of: sources)
    addCaches(of: sources)
    addStateLinks(states)
    if let training = sources.trainingSignature { addTraining(training, from: sources) }
    labels = outputs.labels?.labels ?? sources.labels?.labels
    setIdentity(from: sources)
    draftedValues +=
      sources.exportMetadata.map { $0.draftedValues(comparedWith: sources.signature) } ?? []
    draftedValues += sources.omittedOutputs.map { reason in
      DraftedValue(
        path: "/outputs/-", value: "left out", source: .tensors, reviewNote: reason)
    }
    draftedValues += inputs.draftedValues + outputs.draftedValues + settings.draftedValues
    if description.task == nil { addGuessedTask(sources) }
    if let paddle = sources.paddle { apply(paddle) }
    addForeignCode(of: sources.hub)
    addClassificationOfSound()
    addMissingLabelsOfClassifier()
    if let calibration = outputs.calibration { assets[Self.calibrationFileName] = calibration }
    for case .text(let text) in description.inputs.map(\.kind) {
      for name in text.tokenizer?.files ?? [] {
        if let file = sources.embeddedFiles[name] { assets[name] = file }
      }
    }
  }

  /// Adds the task of a model that assigns labels to sound, whose results have a timeline.
  private mutating func addClassificationOfSound() {
    guard description.task == nil, description.inputs.contains(where: \.isAudio),
      let type = TaskRegistry.shared.format(for: description)?.names[0]
    else { return }
    description.task = TaskDescription(type: type)
    draftedValues.append(DraftedValue(path: "/task/type", value: type, source: .heuristic))
  }

  /// Asks for labels if the only output may contain scores of classes.
  private mutating func addMissingLabelsOfClassifier() {
    guard description.task == nil, labels == nil, description.outputs.count == 1,
      description.inputs.contains(where: { $0.isImage || $0.isAudio || $0.isText }),
      case .array(let layer) = description.outputs[0].kind,
      layer.shape.dimensions.count(where: { ($0 ?? 1) != 1 }) == 1
    else { return }
    addMissingLabels(of: 0, "if these are scores of classes, --labels names them")
  }

  private mutating func addMissingLabels(of output: Int, _ note: String) {
    draftedValues.append(
      DraftedValue(
        path: "/outputs/\(output)/labels", value: "none", source: .heuristic, reviewNote: note))
  }

  /// Whether the model is quantized.
  ///
  /// An image tensor decides, because an image layer cannot declare its own type.
  private static func isQuantized(_ signature: ModelSignature, _ imageInput: Int?) -> Bool {
    let tensors = imageInput.map { [signature.inputs[$0]] } ?? signature.inputs + signature.outputs
    return tensors.allSatisfy { $0.elementType == .uint8 || $0.elementType == .int8 }
  }

  /// Adds the first task that recognizes the model.
  private mutating func addGuessedTask(_ sources: DraftSources) {
    var evidence = TaskGuess.Evidence(
      description, labelCount: labels?.count, statedTask: sources.metadata?.task,
      keypointShape: sources.metadata?.keypointShape)
    (evidence.hub, evidence.attentions) = (sources.hub, sources.attentions)
    evidence.fileStem = sources.fileStem
    evidence.modelPath = sources.modelPath
    evidence.characters = sources.metadata?.characters
    evidence.labels = labels ?? []
    evidence.imageTensor = imageInput.map { sources.signature.inputs[$0].shape }
    let guesses = TaskRegistry.shared.tasks.lazy.compactMap { $0.guess(evidence) }
    guard let guess = guesses.first else { return }
    var task = TaskDescription(type: guess.type)
    task.settings = guess.settings
    task.format = TaskRegistry.shared.format(of: task)
    description.task = task
    draftedValues.append(
      DraftedValue(
        path: "/task/type", value: guess.type, source: .heuristic, reviewNote: guess.reviewNote,
        confidence: guess.confidence))
    for (key, value) in guess.settings.sorted(by: { $0.key < $1.key }) {
      draftedValues.append(
        DraftedValue(
          path: "/task/\(key)", value: value.summary,
          source: guess.areSettingsStated ? .folder : .heuristic,
          reviewNote: guess.omissions.first { $0.key == key }?.reason))
    }
    for omission in guess.omissions where guess.settings[omission.key] == nil {
      draftedValues.append(
        DraftedValue(
          path: "/task/\(omission.key)", value: omission.value, source: .folder,
          reviewNote: omission.reason))
    }
    assets.merge(guess.assets) { first, _ in first }
    for (index, layer) in guess.inputs.sorted(by: { $0.key < $1.key }) {
      description.inputs[index] = layer
      replaceValues("/inputs/\(index)", layer)
    }
    for (name, layers) in guess.functionInputs.sorted(by: { $0.key < $1.key }) {
      description.functions[name]?.inputs = layers
      for (index, layer) in layers.enumerated() {
        replaceValues("/functions/\(name)/inputs/\(index)", layer)
      }
    }
    for (index, kind) in guess.outputs.sorted(by: { $0.key < $1.key }) {
      description.outputs[index].kind = kind
      replaceValues("/outputs/\(index)", description.outputs[index])
    }
    for (index, role) in guess.roles {
      description.outputs[index].role = role
      guard case .array(var layer) = description.outputs[index].kind else { continue }
      // The size of the image determines lengths that vary in the tensor.
      let lengths = evidence.lengths(of: layer)
      let shape = lengths.map { TensorShape(layer.shape.dimensions.prefix(1) + $0) }
      layer.shape = shape ?? layer.shape
      description.outputs[index].kind = .array(layer)
    }
    for (index, shape) in guess.shapes { description.outputs[index].shape = shape }
    if let preparation = guess.image { apply(preparation) }
    labels = labels ?? guess.labels
    guard let index = guess.labeledOutput,
      case .array(var layer) = description.outputs[index].kind
    else { return }
    guard let labels else {
      return addMissingLabels(of: index, "classes are shown by their numbers; --labels names them")
    }
    layer.labelsFile = Self.labelsFileName
    description.outputs[index].kind = .array(layer)
    // The labels belong to an output now.
    let unused = draftedValues.firstIndex { $0.path == "/outputs" && $0.reviewNote != nil }
    guard let unused else { return }
    draftedValues[unused] = DraftedValue(
      path: "/outputs/\(index)/labels", value: "\(labels.count) labels",
      source: draftedValues[unused].source)
  }

  /// Replaces what is drafted of a layer by what the files beside the model state.
  private mutating func replaceValues(_ path: String, _ layer: Layer) {
    draftedValues.removeAll { $0.path.hasPrefix(path + "/") }
    for (key, value) in [
      ("name", layer.name), ("type", layer.typeName), ("shape", layer.shape.description),
    ] {
      draftedValues.append(DraftedValue(path: "\(path)/\(key)", value: value, source: .folder))
    }
  }

  /// Prepares images, and sets the task, as PaddleOCR states beside the model.
  private mutating func apply(_ paddle: PaddleSettings) {
    func state(_ path: String, _ value: String) {
      draftedValues.removeAll { $0.path == path }
      draftedValues.append(DraftedValue(path: path, value: value, source: .folder))
    }
    if let index = imageInput, case .image(var layer) = description.inputs[index].kind {
      let root = "/inputs/\(index)/"
      if let format = paddle.format {
        layer.format = format
        state(root + "format", format.layerName ?? "")
      }
      if let (mean, deviation) = paddle.normalization {
        let isReversed = layer.format == .bgr
        layer.normalize = .normalizing(
          mean: ColorTriple(channels: mean, isReversed: isReversed),
          standardDeviation: ColorTriple(channels: deviation, isReversed: isReversed))
        state(root + "normalize", "mean \(mean), standard deviation \(deviation)")
      }
      if var sides = layer.sides, paddle.apply(to: &sides) {
        layer.sides = sides
        state(root + "size", "longer \(sides.longer ?? 0), shorter \(sides.shorter ?? 0)")
      }
      description.inputs[index].kind = .image(layer)
    }
    guard description.resultForms.contains(.lines) else { return }
    for (key, value) in paddle.taskSettings.sorted(by: { $0.key < $1.key }) {
      description.task?.settings[key] = value
      state("/task/\(key)", value.summary)
    }
  }

  /// Prepares images as the models of the guessed family expect them.
  ///
  /// What the model or the user states takes precedence.
  private mutating func apply(_ preparation: TaskGuess.ImagePreparation) {
    guard let index = imageInput, case .image(let layer) = description.inputs[index].kind else {
      return
    }
    let root = "/inputs/\(index)/"
    let stated = Set(draftedValues.filter { $0.source != .heuristic }.map(\.path))
    var prepared = preparation.applied(to: layer)
    if stated.contains(root + "normalize") { prepared.normalize = layer.normalize }
    if stated.contains(root + "format") { prepared.format = layer.format }
    description.inputs[index].kind = .image(prepared)
    if prepared.sides != nil {
      draftedValues.removeAll { $0.path == root + "shape" }
      draftedValues.append(
        DraftedValue(
          path: root + "shape", value: prepared.shape.description, source: .heuristic,
          reviewNote: "images determine the sides written as -1, by the rule in size"))
    }
    let isRaw = prepared.normalize == nil
    let values = [
      ("fit", "\(prepared.fit.rawValue), \(prepared.fitAnchor.rawValue)"),
      ("filter", prepared.filter.rawValue), ("format", prepared.format.layerName ?? ""),
      ("normalize", isRaw ? "none: 0 to 255" : prepared.normalize?.standardRange?.rawValue ?? ""),
    ]
    for (key, value) in values where !stated.contains(root + key) {
      let path = root + key
      draftedValues.removeAll { $0.path == path }
      draftedValues.append(
        DraftedValue(
          path: path, value: value, source: .heuristic,
          reviewNote: "usual for models of this family"))
    }
  }

  /// Adds the mode `train` of a signature; its operation has the name of the signature.
  ///
  /// Inputs that are single numbers, such as a learning rate, are placeholders.
  private mutating func addTraining(_ signature: ModelSignature, from sources: DraftSources) {
    let numbers = signature.inputs.filter(\.isSingleNumber)
    var sources = sources
    sources.signature = ModelSignature(
      name: signature.name, inputs: signature.inputs.filter { !$0.isSingleNumber },
      outputs: signature.outputs)
    // The tensors of a training step have their names in the signature.
    sources.requiresTensorNames = true
    let noStates = StatePairs(ModelSignature(name: "", inputs: [], outputs: []))
    var overrides = ModelSection()
    overrides.inputs = InputDraft(sources, noStates, isDetector: false).layers
    overrides.outputs = signature.outputs.map { tensor in
      let isScalar = tensor.shape.dimensions.isEmpty
      let layer = NumericLayer(shape: isScalar ? TensorShape([1]) : tensor.shape)
      return Layer(
        name: sources.requiredName(of: tensor) ?? tensor.name,
        kind: isScalar ? .scalar(layer) : .array(layer))
    }
    if !numbers.isEmpty {
      overrides.placeholders = numbers.map { tensor in
        Layer(
          name: tensor.signatureKey ?? tensor.name,
          kind: .scalar(NumericLayer(shape: TensorShape([1]), elementType: tensor.elementType)))
      }
    }
    description.modes.insert(.train)
    description.modeOverrides[.train] = overrides
    description.trainingOperations = [signature.name]
    draftedValues.append(
      DraftedValue(
        path: "/train/ops/0", value: signature.name, source: .tensors,
        reviewNote: "computing the outputs of this signature is assumed to train the model"))
    for (index, tensor) in numbers.enumerated() {
      draftedValues.append(
        DraftedValue(
          path: "/train/placeholders/\(index)", value: tensor.signatureKey ?? tensor.name,
          source: .tensors, reviewNote: "each training has to state it; a value makes it optional"))
    }
  }

  /// Adds the functions, which are described as models are, without a task.
  private mutating func addFunctions(of sources: DraftSources) {
    for (name, function) in sources.functions {
      let draft = BundleDraft(from: function)
      var section = ModelSection()
      section.modelFile = "\(name).\(FilePath.pathExtension(of: draft.description.modelFile))"
      section.inputs = draft.description.inputs
      section.outputs = draft.description.outputs.map { layer in
        var layer = layer
        layer.role = nil
        return layer
      }
      description.functions[name] = section
      assets.merge(draft.assets) { first, _ in first }
      functions[name] = draft
      draftedValues += draft.draftedValues.compactMap { value in
        // Labels belong to results of tasks.
        guard ["/inputs", "/outputs"].contains(where: value.path.hasPrefix),
          !value.path.hasSuffix("/labels")
        else { return nil }
        return DraftedValue(
          path: "/functions/\(name)\(value.path)", value: value.value, source: value.source,
          reviewNote: value.reviewNote, confidence: value.confidence)
      }
    }
  }

  /// Adds the caches, which have no layers.
  private mutating func addCaches(of sources: DraftSources) {
    description.caches = sources.caches
    for (index, link) in sources.caches.enumerated() {
      draftedValues.append(
        DraftedValue(
          path: "/caches/\(index)",
          value: link.function.map { "\(link.output) of \($0) is \(link.input)" }
            ?? "\(link.output) is fed back into \(link.input)", source: .tensors))
    }
    guard !sources.caches.isEmpty, !description.inputs.contains(where: \.isText) else { return }
    draftedValues.append(
      DraftedValue(
        path: "/inputs/0/tokenizer", value: "none", source: .heuristic,
        reviewNote:
          "a language model needs its tokenizer: put tokenizer.json and config.json beside it, and run init again"
      ))
  }

  /// Names code of the folder, which is never run.
  private mutating func addForeignCode(of hub: HubFolder?) {
    for file in [HubFolder.File.config, .tokenizer, .images] {
      guard let classes = hub?[file, "auto_map"]?.members?.compactMap(\.value.string),
        !classes.isEmpty
      else { continue }
      draftedValues.append(
        DraftedValue(
          path: "/model", value: "\(file.rawValue): auto_map", source: .folder,
          reviewNote:
            "the folder's own code (\(classes.joined(separator: ", "))) is not run; what it computes outside of the model is missing"
        ))
    }
  }

  /// Adds the state links, as far as shapes and names reveal them.
  private mutating func addStateLinks(_ states: StatePairs) {
    for (index, pair) in states.pairs.enumerated() {
      let output = description.outputs[pair.output].name
      let input = description.inputs[pair.input].name
      description.state.append(StateLink(output: output, input: input))
      draftedValues.append(
        DraftedValue(
          path: "/state/\(index)", value: "\(output) is fed back into \(input)", source: .heuristic,
          reviewNote: "inferred from equal shapes and types; the pair may be unrelated"))
    }
  }

  /// Sets the name, author and other identifying members.
  private mutating func setIdentity(from sources: DraftSources) {
    let metadata = sources.metadata
    setField(
      "/name", sources.name.map { ($0, .arguments) } ?? nonEmptyMetadata(metadata?.name),
      sources.fileStem
    ) { $0.name = $1 }
    setField("/details", nonEmptyMetadata(metadata?.details), "") { $0.details = $1 }
    setField("/id", nil, sources.fileStem) { $0.id = $1 }
    setField("/version", nonEmptyMetadata(metadata?.version), "1") { $0.version = $1 }
    setField("/author", nonEmptyMetadata(metadata?.author), "") { $0.author = $1 }
    setField("/license", nonEmptyMetadata(metadata?.license), "") { $0.license = $1 }
  }

  private func nonEmptyMetadata(_ text: String?) -> (String, DraftedValue.Source)? {
    text.flatMap { $0.isEmpty ? nil : ($0, .metadata) }
  }

  private mutating func setField(
    _ path: String, _ found: (text: String, source: DraftedValue.Source)?, _ fallback: String,
    _ set: (inout ModelDescription, String) -> Void
  ) {
    set(&description, found?.text ?? fallback)
    guard found != nil || !fallback.isEmpty else { return }
    draftedValues.append(
      DraftedValue(
        path: path, value: found?.text ?? fallback, source: found?.source ?? .heuristic))
  }
}

extension BundleDraft {
  /// Whether the model returns scores of classes, or what may be such, and no embedding.
  package var isClassifierWithoutEmbedding: Bool {
    description.task == nil && description.state.isEmpty && description.caches.isEmpty
      && !description.outputs.contains { $0.role != nil }
      && (description.outputs.contains { $0.labelsFile != nil } || labels != nil
        || draftedValues.contains { $0.path.hasSuffix("/labels") })
  }

  /// Names the first of the layers that could be embeddings.
  package mutating func propose(_ layers: [EmbeddingLayer]) {
    guard let layer = layers.first else { return }
    draftedValues.append(
      DraftedValue(
        path: "/outputs/-",
        value:
          "no embedding; --embedding \(layer.name) returns one of \(layer.length) numbers",
        source: .tensors))
  }

  /// The index of the only input that a caller provides, if it is an image.
  private var imageInput: Int? {
    guard description.callerInputs.count == 1 else { return nil }
    return description.inputs.firstIndex { if case .image = $0.kind { true } else { false } }
  }

  /// How images are prepared; `nil` unless the model classifies one image.
  var preparation: DraftTrial.Preparation? {
    guard let index = imageInput, case .image(let layer) = description.inputs[index].kind,
      description.outputs.contains(where: { $0.labelsFile != nil && $0.role == nil })
    else { return nil }
    let isKnown = layer.normalize != nil || pixelTypeIsFloat
    let range = PixelRange.allCases.first { isKnown && $0.normalization == layer.normalize }
    return DraftTrial.Preparation(
      range: range, format: layer.format, fit: layer.fit, filter: layer.filter)
  }

  /// Sets how images are prepared.
  mutating func set(_ preparation: DraftTrial.Preparation) {
    guard let index = imageInput, case .image(var layer) = description.inputs[index].kind else {
      return
    }
    if let range = preparation.range { layer.normalize = range.normalization }
    layer.format = preparation.format
    layer.fit = preparation.fit
    layer.filter = preparation.filter
    description.inputs[index].kind = .image(layer)
  }

  /// Sets the image preparation that was most accurate in a trial.
  package mutating func apply(_ trial: DraftTrial) {
    guard let index = imageInput else { return }
    let best = trial.best
    set(best.preparation)
    let correct = "\(best.correctCount) of \(trial.imageCount) images correct"
    let values: [(key: String, text: (DraftTrial.Preparation) -> String?)] = [
      ("normalize", { $0.range?.text }), ("format", \.formatText), ("fit", \.fit.rawValue),
      ("filter", \.filter.rawValue),
    ]
    for (key, text) in values {
      guard let value = text(best.preparation) else { continue }
      let path = "/inputs/\(index)/\(key)"
      draftedValues.removeAll { $0.path == path }
      draftedValues.append(
        DraftedValue(
          path: path, value: "\(value) (\(correct))", source: .measurement,
          reviewNote: trial.reviewNote { text($0) ?? "" }))
    }
  }

  /// The folders that the links of a bundle lead to.
  var linkedFolders: [String] {
    let drafts = [self] + functions.values
    let files = drafts.flatMap { draft in
      [draft.modelPath]
        + draft.companionFiles.map { FilePath.parent(of: draft.modelPath) + "/" + $0 }
    }
    return Set(files.compactMap(FilePath.resolved).map(FilePath.parent)).sorted()
  }
}

extension TensorInfo {
  /// Whether the tensor is a single floating-point number.
  fileprivate var isSingleNumber: Bool { elementType.isFloatingPoint && shape.dimensions.isEmpty }
}

extension JSONValue {
  /// The value as a person reads it: long lists by their lengths.
  fileprivate var summary: String {
    let count = elements?.count ?? members?.count ?? 0
    return count > Self.maxShownCount ? "\(count) values" : text
  }

  private static let maxShownCount = 16
}

extension ColorTriple {
  /// Creates a triple from values in the order of an image's channels.
  fileprivate init(channels: [Float], isReversed: Bool) {
    let colors = isReversed ? channels.reversed() : channels
    self.init(red: colors[0], green: colors[1], blue: colors[2])
  }
}
