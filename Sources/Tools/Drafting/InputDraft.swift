import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOTasks

/// The inputs of a drafted description.
struct InputDraft: Sendable {
  private(set) var layers: [Layer] = []
  private(set) var draftedValues: [DraftedValue] = []
  /// The index of the first image input.
  private(set) var firstImageIndex: Int?

  private let sources: DraftSources
  private let states: StatePairs
  private let isDetector: Bool
  private var names = UniqueLayerNames()

  init(_ sources: DraftSources, _ states: StatePairs, isDetector: Bool) {
    self.sources = sources
    self.states = states
    self.isDetector = isDetector
    for (index, tensor) in sources.signature.inputs.enumerated() {
      let metadata = sources.metadata(forInput: index)
      let path = "/inputs/\(index)"
      let images = sources.metadata?.imageSize == nil ? sources.hubImages : nil
      if let shape = ImageTensorShape(
        tensor, metadata?.content, stated: sources.metadata?.imageSize ?? images?.size,
        isFromFolder: images != nil)
      {
        if firstImageIndex == nil { firstImageIndex = index }
        add(imageLayer(shape, index, path), metadata, "image", tensor, path)
      } else if let layer = audioLayer(tensor, metadata, path) {
        add(.audio(layer), metadata, "sound", tensor, path)
      } else if let tokenizer = sources.tokenizer(forInput: index), tensor.elementType != .string {
        add(.text(textLayer(tensor, tokenizer, path)), metadata, "text", tensor, path)
      } else {
        let isState = states.inputs.contains(index)
        add(.array(numericLayer(tensor, isState: isState, path)), metadata, nil, tensor, path)
        if !isState {
          addSampleRate(tensor, path)
          addPixelMask(tensor, path)
        }
        if !isState, metadata?.content != .features { addPossibleSound(tensor, path) }
      }
    }
    shareText()
    addMissingTokenizer()
  }

  private mutating func add(
    _ kind: Layer.Kind, _ metadata: ModelMetadata.TensorMetadata?, _ defaultName: String?,
    _ tensor: TensorInfo, _ path: String
  ) {
    let short = UniqueLayerNames.shortName(of: tensor.name, default: "input")
    let metadataName = metadata.flatMap { $0.name.isEmpty ? nil : $0.name }
    let required = sources.requiredName(of: tensor)
    let key = tensor.signatureKey
    let name = required ?? names.reserve(metadataName ?? key ?? defaultName ?? short)
    let source: DraftedValue.Source =
      metadataName != nil
      ? .metadata : defaultName == nil || required ?? key != nil ? .tensors : .heuristic
    draftedValues.append(DraftedValue(path: path + "/name", value: name, source: source))
    layers.append(Layer(name: name, kind: kind))
  }

  // MARK: Images

  private mutating func imageLayer(
    _ image: ImageTensorShape, _ index: Int, _ path: String
  ) -> Layer.Kind {
    let metadata = sources.metadata(forInput: index)
    addShape(image, metadata, path)
    if let images = sources.hubImages, image.format != .gray {
      return .image(imageLayer(image, image.isOpen ? images.open() : images, path))
    }
    addPixelFormat(image, metadata, path)
    let (normalize, finding) = NormalizationDraft(
      image, sources.signature.inputs[index], metadata, sources.rescaling(ofInput: index),
      requested: sources.pixelRange, path
    ).result
    draftedValues.append(finding)
    let (fit, filter) = addResizing(path)
    return .image(
      ImageLayer(
        shape: image.shape, height: image.height, width: image.width,
        format: image.format, layout: image.layout, normalize: normalize, fit: fit, filter: filter))
  }

  /// Returns a layer whose images are prepared as the folder of the model states.
  private mutating func imageLayer(
    _ image: ImageTensorShape, _ images: HubImagePreparation, _ path: String
  ) -> ImageLayer {
    let requested = sources.pixelRange
    let values = [
      ("fit", images.fit.rawValue), ("filter", images.filter.rawValue),
      ("format", images.format.layerName ?? ""),
    ]
    for (key, value) in values {
      draftedValues.append(DraftedValue(path: "\(path)/\(key)", value: value, source: .folder))
    }
    if let resize = images.resize {
      draftedValues.append(
        DraftedValue(path: path + "/resize", value: "\(resize)", source: .folder))
    }
    draftedValues.append(
      DraftedValue(
        path: path + "/normalize", value: requested?.text ?? images.numbersText,
        source: requested == nil ? .folder : .arguments))
    for (key, value, reason) in images.remarks {
      draftedValues.append(
        DraftedValue(path: "\(path)/\(key)", value: value, source: .folder, reviewNote: reason))
    }
    let sides = image.isOpen ? images.sides : nil
    if let sides {
      draftedValues.append(
        DraftedValue(path: path + "/size", value: sides.text, source: .folder))
    } else if let size = images.size, (size.height, size.width) != (image.height, image.width) {
      draftedValues.append(
        DraftedValue(
          path: path + "/shape", value: image.shape.description, source: .tensors,
          reviewNote: "the folder prepares images of \(size.width) by \(size.height) pixels"))
    }
    let layer = ImageLayer(
      shape: image.shape, height: image.height, width: image.width, format: images.format,
      layout: image.layout, normalize: requested.map(\.normalization) ?? images.normalize,
      fit: images.fit, filter: images.filter, pad: images.pad, fitAnchor: images.anchor,
      resize: images.resize)
    return sides.map { layer.opened($0) } ?? layer
  }

  /// Adds how images of another size are resized, which no model states.
  private mutating func addResizing(_ path: String) -> (ImageFit, ImageFilter) {
    let isStretched = isDetector || sources.isFromKeras
    let (fit, filter): (ImageFit, ImageFilter) =
      isStretched ? (.stretch, .bilinear) : (.crop, .lanczos)
    let note = { (others: String) in
      "not stated by the model; it may have been trained on \(others)"
    }
    draftedValues.append(
      DraftedValue(
        path: path + "/fit", value: fit.rawValue, source: .heuristic,
        reviewNote: note(isStretched ? "cropped images" : "stretched or letterboxed images")))
    draftedValues.append(
      DraftedValue(
        path: path + "/filter", value: filter.rawValue, source: .heuristic,
        reviewNote: note(
          "images resized with another filter, such as \(isStretched ? "linear" : "bilinear")")))
    return (fit, filter)
  }

  private mutating func addShape(
    _ image: ImageTensorShape, _ metadata: ModelMetadata.TensorMetadata?, _ path: String
  ) {
    let isFromMetadata = metadata?.content.isImage == true
    var type = DraftedValue(
      path: path + "/type", value: "image", source: isFromMetadata ? .metadata : .tensors)
    if !isFromMetadata, image.format == .gray {
      type.reviewNote = "a single channel may be an image, audio or a table"
    }
    draftedValues.append(type)
    var shape = DraftedValue(
      path: path + "/shape", value: image.shape.description,
      source: image.sizeSource == .heuristic ? .tensors : image.sizeSource)
    if image.sizeSource == .heuristic { shape.reviewNote = "the model accepts images of any size" }
    draftedValues.append(shape)
  }

  private mutating func addPixelFormat(
    _ image: ImageTensorShape, _ metadata: ModelMetadata.TensorMetadata?, _ path: String
  ) {
    let isFromMetadata = if case .image(.some) = metadata?.content { true } else { false }
    var format = DraftedValue(
      path: path + "/format", value: image.format.layerName ?? "",
      source: isFromMetadata ? .metadata : image.format == .gray ? .tensors : .heuristic)
    if format.source == .heuristic { format.reviewNote = "some models expect BGR" }
    draftedValues.append(format)
  }

  // MARK: Sound

  /// Names of tensors that take samples.
  private static let soundNames = ["audio", "wave", "sound", "pcm", "speech"]
  /// The rate of most models.
  private static let commonSampleRate = 16_000
  /// The number of elements from which a tensor whose name does not mention sound may take it.
  private static let minSoundLength = 8000
  /// The number of samples below which a tensor probably has features.
  private static let minSampleCount = 1000

  /// Returns the layer of a tensor that takes sound; `nil` for other tensors.
  private mutating func audioLayer(
    _ tensor: TensorInfo, _ metadata: ModelMetadata.TensorMetadata?, _ path: String
  ) -> AudioLayer? {
    if let layer = sources.hubSpectrogram?.layer(of: tensor) {
      for (key, value) in [
        ("type", "audio"), ("shape", layer.shape.description), ("rate", "\(layer.sampleRate)"),
        ("features", "the spectrogram of \(HubFolder.File.images.rawValue)"),
      ] {
        draftedValues.append(DraftedValue(path: "\(path)/\(key)", value: value, source: .folder))
      }
      return layer
    }
    let lengths = tensor.shape.dimensions.filter { $0 != 1 }
    let isStated = metadata?.content == .audio
    let name = tensor.name.lowercased()
    guard lengths.count == 1, tensor.elementType == .float32 || tensor.elementType == .int16,
      isStated
        || Self.soundNames.contains(where: name.contains)
          && (lengths[0] ?? Self.minSampleCount) >= Self.minSampleCount
    else { return nil }
    let rate = metadata?.sampleRate ?? Self.commonSampleRate
    draftedValues.append(
      DraftedValue(
        path: path + "/type", value: "audio", source: isStated ? .metadata : .heuristic,
        reviewNote: isStated ? nil : "inferred from the name and the shape of the tensor"))
    draftedValues.append(
      DraftedValue(
        path: path + "/rate", value: "\(rate)",
        source: metadata?.sampleRate == nil ? .heuristic : .metadata,
        reviewNote: metadata?.sampleRate == nil ? "not stated by the model" : nil))
    // A single open dimension is the length of the sound, not a batch.
    let shape =
      tensor.shape.dimensions == [nil]
      ? TensorShape(signedDimensions: [1, -1]) : tensor.shape.withoutRankZero
    return AudioLayer(
      shape: shape, elementType: tensor.elementType.declarable,
      sampleRate: rate)
  }

  /// Lists a long vector of numbers for review, because it may consist of samples of sound.
  private mutating func addPossibleSound(_ tensor: TensorInfo, _ path: String) {
    let lengths = tensor.shape.dimensions.compactMap(\.self).filter { $0 != 1 }
    guard tensor.elementType == .float32, lengths.count == 1, lengths[0] >= Self.minSoundLength
    else { return }
    draftedValues.append(
      DraftedValue(
        path: path + "/type", value: "array", source: .heuristic,
        reviewNote: "\(lengths[0]) numbers may be sound: \"type\": \"audio\" with its \"rate\""))
  }

  // MARK: Text

  private mutating func textLayer(
    _ tensor: TensorInfo, _ tokenizer: TokenizerDescription, _ path: String
  ) -> TextLayer {
    let part = TextLayer.Part(tensorNamed: tensor.signatureKey ?? tensor.name) ?? .ids
    let source: DraftedValue.Source = isStoredInModel(tokenizer) ? .metadata : .folder
    draftedValues.append(DraftedValue(path: path + "/type", value: "text", source: source))
    if part == .ids {
      draftedValues.append(
        DraftedValue(
          path: path + "/tokenizer", value: "\(tokenizer.kind.rawValue) (\(tokenizer.file))",
          source: source))
    } else {
      draftedValues.append(
        DraftedValue(path: path + "/part", value: part.rawValue, source: .tensors))
    }
    return TextLayer(
      shape: tensor.shape.withoutRankZero, elementType: tensor.elementType.declarable, part: part,
      tokenizer: tokenizer, maxLength: part == .ids ? maxLength(of: tensor, path) : nil)
  }

  private func isStoredInModel(_ tokenizer: TokenizerDescription) -> Bool {
    sources.metadata?.inputs.contains { $0.tokenizer == tokenizer } ?? false
  }

  /// Returns the maximum number of tokens of a tensor of variable length, which an encoder fails without.
  ///
  /// The limit of a language model is that of its task.
  private mutating func maxLength(of tensor: TensorInfo, _ path: String) -> Int? {
    guard sources.caches.isEmpty, tensor.shape.dimensions.last == .some(nil) else { return nil }
    let limit = sources.hub?.tokenLimit
    draftedValues.append(
      DraftedValue(
        path: path + "/max_length", value: limit.map { "\($0)" } ?? "none", source: .folder,
        reviewNote: limit == nil
          ? "longer texts than the model was trained with may fail; 512 tokens are usual" : nil))
    return limit
  }

  /// Asks for a tokenizer if the inputs are the parts of a text.
  private mutating func addMissingTokenizer() {
    guard sources.takesTokens, sources.caches.isEmpty, !layers.contains(where: \.isText) else {
      return
    }
    draftedValues.append(
      DraftedValue(
        path: "/inputs/0/tokenizer", value: "none", source: .heuristic,
        reviewNote:
          "the inputs are the tokens of a text: put tokenizer.json or vocab.txt beside the model, and run init again"
      ))
  }

  /// Makes the inputs that take other parts of a text refer to the one that takes its tokens.
  private mutating func shareText() {
    let ids = layers.first {
      if case .text(let text) = $0.kind { text.part == .ids } else { false }
    }
    guard let ids else { return }
    for index in layers.indices where layers[index].name != ids.name {
      guard case .text(var text) = layers[index].kind else { continue }
      (text.tokenizer, text.source) = (nil, ids.name)
      layers[index].kind = .text(text)
    }
  }

  // MARK: Numbers

  private mutating func numericLayer(
    _ tensor: TensorInfo, isState: Bool, _ path: String
  ) -> NumericLayer {
    let shape = isState ? tensor.shape.withFixedNonBatchAxes : tensor.shape.withoutRankZero
    var finding = DraftedValue(
      path: path + "/shape", value: "\(tensor.elementType) \(shape)", source: .tensors)
    if shape.hasVariableLength {
      finding.reviewNote =
        "each value determines the lengths written as -1; the model may expect a certain length"
    } else if shape.dimensions == [nil], tensor.elementType != .string {
      finding.reviewNote = "one number per item; write [1,-1] if an item has any number of them"
    } else if !isState, ImageTensorShape.isSquareTable(tensor) {
      finding.reviewNote = "a table as long as it is wide may be a gray image, passed as numbers"
    }
    draftedValues.append(finding)
    let isQuantized = tensor.quantization != nil && tensor.elementType.isInteger
    if isQuantized {
      let value = isState ? "none: state is passed back unchanged" : "model"
      draftedValues.append(
        DraftedValue(
          path: path + "/quantize", value: value, source: isState ? .heuristic : .tensors))
    }
    return NumericLayer(
      shape: shape, elementType: tensor.elementType.declarable,
      quantize: isQuantized && !isState ? .model : nil)
  }
}

extension InputDraft {
  /// Adds a value to the last input if it is the sample rate of the sound in another one.
  fileprivate mutating func addSampleRate(_ tensor: TensorInfo, _ path: String) {
    guard let index = layers.indices.last, layers[index].name == "sr",
      tensor.elementType == .int64, tensor.shape.elementCount == 1
    else { return }
    layers[index].defaultValue = [16000]
    draftedValues.append(
      DraftedValue(
        path: path + "/value", value: "16000", source: .heuristic,
        reviewNote: "the sample rate of the sound; without a value, each run has to state it"))
  }
}

extension InputDraft {
  /// Gives the mask of an image's pixels, all of which belong to the image, the value 1.
  fileprivate mutating func addPixelMask(_ tensor: TensorInfo, _ path: String) {
    guard let index = layers.indices.last, tensor.name.hasSuffix("pixel_mask"),
      let count = layers[index].elementCount, (1...Layer.maxFilledElements).contains(count)
    else { return }
    layers[index].defaultValue = [Double](repeating: 1, count: count)
    draftedValues.append(DraftedValue(path: path + "/value", value: "1", source: .heuristic))
  }
}

extension ImageSides {
  /// The rule in a line of text.
  fileprivate var text: String {
    if let nearest { return "the nearer side to \(nearest), in multiples of \(multiple)" }
    return "the shorter side \(shorter ?? 0)" + (longer.map { ", the longer at most \($0)" } ?? "")
  }
}

extension TextLayer.Part {
  /// Returns the part of a text that a tensor takes, by its name; `nil` for other names.
  init?(tensorNamed name: String) {
    let name = name.lowercased()
    let parts: [(part: Self, words: [String])] = [
      (.mask, ["mask"]), (.segments, ["segment", "type"]),
      (.positions, ["position", "input_pos", "past_sequence_length"]),
      (.continuation, ["use_cache_branch"]), (.ids, ["ids", "tokens"]),
    ]
    let found = parts.first { part in part.words.contains(where: name.contains) }
    guard let found else { return nil }
    self = found.part
  }
}

extension ElementType {
  /// The type to declare; strings have none in a description, where the tensor decides.
  var declarable: ElementType? { self == .string ? nil : self }
}

extension TensorShape {
  /// The shape, or that of one element for a tensor without dimensions.
  var withoutRankZero: TensorShape { dimensions.isEmpty ? [1] : self }

  /// The shape with variable dimensions other than the first fixed to 1, for an output with labels.
  var withFixedNonBatchAxes: TensorShape {
    TensorShape(withoutRankZero.dimensions.prefix(1) + dimensions.dropFirst().map { $0 ?? 1 })
  }
}

/// Generates short, unique layer names.
struct UniqueLayerNames: Sendable {
  private var reserved: Set<String> = []

  init() {}

  /// Returns `wanted`, or a variation of it that is not in use yet.
  mutating func reserve(_ wanted: String) -> String {
    var name = wanted
    var number = 2
    while !reserved.insert(name).inserted {
      name = "\(wanted)_\(number)"
      number += 1
    }
    return name
  }

  /// Returns a tensor's name without the parts that converters add, or `default` if nothing
  /// remains.
  static func shortName(of tensor: String, default: String) -> String {
    var name = tensor.split(separator: "/").last.map(String.init) ?? ""
    if name.hasPrefix(servingPrefix) { name.removeFirst(servingPrefix.count) }
    if let colon = name.lastIndex(of: ":"), name[name.index(after: colon)...].allSatisfy(\.isNumber)
    {
      name = String(name[..<colon])
    }
    let isGenerated = generatedPrefixes.contains { name.hasPrefix($0) } || name.isEmpty
    return isGenerated ? `default` : name
  }

  private static let servingPrefix = "serving_default_"
  private static let generatedPrefixes = ["StatefulPartitionedCall", "PartitionedCall", "Identity"]
}
