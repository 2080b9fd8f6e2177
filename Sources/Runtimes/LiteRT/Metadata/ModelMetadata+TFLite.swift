import TensorIOBundle
package import TensorIOCore

extension ModelMetadata {
  /// Reads the table that the TensorFlow Lite Metadata Writer stores in a `.tflite` file, or returns
  /// `nil` if the bytes are not one.
  ///
  /// Values that cannot be read are skipped.
  package init?(tflite bytes: [UInt8]) {
    guard let bytes = try? ModelBytes(bytes),
      let model = try? FlatBufferTable(bytes, identifier: "M001")
    else { return nil }
    self.init()
    name = model.string(ModelField.name)
    details = model.string(ModelField.description)
    version = model.string(ModelField.version)
    author = model.string(ModelField.author)
    license = model.string(ModelField.license)
    let graph = model.tables(ModelField.graphs).first
    inputs = graph?.tables(GraphField.inputs).map(TensorMetadata.init) ?? []
    // A tokenizer that fills several tensors belongs to the graph.
    let shared = graph?.tables(GraphField.inputUnits).lazy.compactMap(TokenizerDescription.init)
      .first
    for index in inputs.indices where inputs[index].tokenizer == nil {
      inputs[index].tokenizer = shared
    }
    outputs = graph?.tables(GraphField.outputs).map(TensorMetadata.init) ?? []
  }
}

// MARK: - Field numbers of the schema

private enum ModelField {
  static let (name, description, version, graphs, author, license) = (0, 1, 2, 3, 4, 5)
}

private enum GraphField {
  static let (inputs, outputs, inputUnits) = (2, 3, 5)
}

extension ModelMetadata.TensorMetadata {
  private enum Field {
    static let (name, description, content, units, files) = (0, 1, 3, 4, 6)
  }

  private enum UnitField {
    static let (type, options) = (0, 1)
    static let (normalization, calibration, thresholding): (UInt8, UInt8, UInt8) = (1, 2, 3)
    static let (mean, standardDeviation, globalThreshold) = (0, 1, 0)
  }

  private enum FileField {
    static let (name, type) = (0, 2)
    /// The types of axis labels and value labels.
    static let labels: Set<UInt8> = [2, valueLabels]
    static let (valueLabels, calibration): (UInt8, UInt8) = (3, 4)
  }

  fileprivate init(_ table: FlatBufferTable) {
    self.init()
    name = table.string(Field.name)
    details = table.string(Field.description)
    content = ModelMetadata.Content(table.table(Field.content))
    boxes = ModelMetadata.BoxProperties(table.table(Field.content))
    let units = table.tables(Field.units)
    func options(_ type: UInt8) -> FlatBufferTable? {
      units.first { $0.byte(UnitField.type) == type }?.table(UnitField.options)
    }
    scoreThreshold = options(UnitField.thresholding)?.integer(UnitField.globalThreshold)
      .map { Float(bitPattern: UInt32(bitPattern: $0)) }
    let normalization = options(UnitField.normalization)
    mean = normalization?.floats(UnitField.mean) ?? []
    standardDeviation = normalization?.floats(UnitField.standardDeviation) ?? []
    tokenizer = units.lazy.compactMap(TokenizerDescription.init).first
    if content == .audio { sampleRate = table.table(Field.content)?.audioSampleRate }
    let allFiles = table.tables(Field.files)
    calibration = options(UnitField.calibration).flatMap { options in
      CalibrationDescription(
        options, file: allFiles.first { $0.byte(FileField.type) == FileField.calibration })
    }
    let files = allFiles.filter { FileField.labels.contains($0.byte(FileField.type)) }
    labelFiles = files.map { $0.string(FileField.name) }
    hasValueLabels = files.first?.byte(FileField.type) == FileField.valueLabels
  }
}

extension CalibrationDescription {
  private enum Field {
    static let (transform, defaultScore) = (0, 1)
    static let fileName = 0
  }

  /// The transforms by their codes in the format.
  static let transforms: [Transform] = [.identity, .log, .logit]

  /// Creates the calibration of a process unit; `nil` without a file or for an unknown transform.
  fileprivate init?(_ options: FlatBufferTable, file: FlatBufferTable?) {
    let code = Int(options.byte(Field.transform))
    guard let name = file?.string(Field.fileName), !name.isEmpty,
      Self.transforms.indices.contains(code)
    else { return nil }
    let bits = options.integer(Field.defaultScore) ?? 0
    self.init(
      file: name, transform: Self.transforms[code],
      defaultScore: Float(bitPattern: UInt32(bitPattern: bits)))
  }
}

extension TokenizerDescription {
  private enum Field {
    static let (type, options) = (0, 1)
    static let (bert, sentencePiece, regex): (UInt8, UInt8, UInt8) = (4, 5, 6)
    static let firstFiles = 0
    static let (delimiters, vocabulary) = (0, 1)
    static let fileName = 0
  }

  /// Creates the tokenizer of a process unit; `nil` for units of other kinds and without files.
  fileprivate init?(_ unit: FlatBufferTable) {
    guard let options = unit.table(Field.options) else { return nil }
    func file(_ field: Int) -> String? {
      options.tables(field).first.map { $0.string(Field.fileName) }.flatMap {
        $0.isEmpty ? nil : $0
      }
    }
    switch unit.byte(Field.type) {
    case Field.bert:
      guard let file = file(Field.firstFiles) else { return nil }
      self.init(.wordPiece, file: file)
    case Field.sentencePiece:
      guard let file = file(Field.firstFiles) else { return nil }
      self.init(.sentencePiece, file: file)
    case Field.regex:
      guard let file = file(Field.vocabulary) else { return nil }
      let delimiters = options.string(Field.delimiters)
      self.init(.regex, file: file, delimiters: delimiters.isEmpty ? nil : delimiters)
    default: return nil
    }
  }
}

extension FlatBufferTable {
  private enum AudioField {
    static let (properties, sampleRate) = (1, 0)
  }

  /// The sample rate in the properties of a content of audio.
  fileprivate var audioSampleRate: Int? {
    table(AudioField.properties)?.integer(AudioField.sampleRate).map { Int($0) }
      .flatMap { $0 > 0 ? $0 : nil }
  }
}

extension ModelMetadata.Content {
  private enum Field {
    static let (type, properties, colorSpace) = (0, 1, 0)
  }

  fileprivate init(_ table: FlatBufferTable?) {
    switch table?.byte(Field.type) {
    case 1: self = .features
    case 2:
      switch table?.table(Field.properties)?.byte(Field.colorSpace) {
      case 1: self = .image(isColored: true)
      case 2: self = .image(isColored: false)
      default: self = .image(isColored: nil)
      }
    case 3: self = .boundingBoxes
    case 4: self = .audio
    default: self = .unknown
    }
  }
}

extension ModelMetadata.BoxProperties {
  private enum Field {
    static let (content, properties) = (0, 1)
    static let boxes: UInt8 = 3
    static let (order, kind, unit) = (0, 1, 2)
    static let pixels: UInt8 = 1
  }

  /// Returns `nil` unless the content is boxes of a known kind.
  fileprivate init?(_ content: FlatBufferTable?) {
    guard content?.byte(Field.content) == Field.boxes,
      let properties = content?.table(Field.properties),
      let kind = [1: Kind.boundaries, 2: .upperLeft, 3: .center][properties.byte(Field.kind)]
    else { return nil }
    self.init(
      kind, order: properties.integers(Field.order),
      isInPixels: properties.byte(Field.unit) == Field.pixels)
  }
}

extension LiteRTModel {
  /// The model's metadata, or `nil` if it has none.
  package var modelMetadata: ModelMetadata? { metadataBytes.flatMap(ModelMetadata.init(tflite:)) }
}
