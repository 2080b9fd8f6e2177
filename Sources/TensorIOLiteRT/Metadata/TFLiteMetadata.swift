/// What a `.tflite` file says of itself, beyond its tensors: names, descriptions, how pictures are
/// normalized, and which of the files packed in it name the outputs.
///
/// It is what the TensorFlow Lite Metadata Writer leaves in a model. Nothing in it is needed to
/// run the model, and nothing in it is trusted: what cannot be read is left out.
public struct TFLiteMetadata: Sendable, Hashable {
  /// The model's name.
  public let name: String
  /// What it does.
  public let details: String
  /// Its version.
  public let version: String
  /// Who made it.
  public let author: String
  /// The terms under which it may be used.
  public let license: String
  /// What is said of the inputs, in the order of the model's tensors.
  public let inputs: [TensorMetadata]
  /// What is said of the outputs, in the order of the model's tensors.
  public let outputs: [TensorMetadata]

  /// What is said of one input or output.
  public struct TensorMetadata: Sendable, Hashable {
    /// The name, for people.
    public let name: String
    /// What it holds.
    public let details: String
    /// What kind of content it holds.
    public let content: Content
    /// What is subtracted from each channel of a pixel; empty when nothing is said.
    public let mean: [Float]
    /// What each channel is divided by then; empty when nothing is said.
    public let standardDeviation: [Float]
    /// The names of the packed files that name its values.
    public let labelFiles: [String]
  }

  /// What kind of content a tensor holds.
  public enum Content: Sendable, Hashable {
    /// Nothing is said, or something that is unknown here.
    case unknown
    /// Numbers.
    case features
    /// A picture, and whether it is coloured where that is said.
    case image(isColored: Bool?)
    /// Rectangles.
    case boundingBoxes
    /// Sound.
    case audio
  }

  /// Reads the metadata of a model; `nil` when the bytes are none.
  public init?(_ bytes: [UInt8]) {
    guard let bytes = try? ModelBytes(bytes),
      let model = try? FlatBufferTable(bytes, identifier: "M001")
    else { return nil }
    name = model.string(ModelField.name)
    details = model.string(ModelField.description)
    version = model.string(ModelField.version)
    author = model.string(ModelField.author)
    license = model.string(ModelField.license)
    let graph = model.tables(ModelField.graphs).first
    inputs = graph?.tables(GraphField.inputs).map(TensorMetadata.init) ?? []
    outputs = graph?.tables(GraphField.outputs).map(TensorMetadata.init) ?? []
  }
}

// MARK: - Where the schema keeps what

private enum ModelField {
  static let (name, description, version, graphs, author, license) = (0, 1, 2, 3, 4, 5)
}

private enum GraphField {
  static let (inputs, outputs) = (2, 3)
}

extension TFLiteMetadata.TensorMetadata {
  private enum Field {
    static let (name, description, content, units, files) = (0, 1, 3, 4, 6)
  }

  private enum UnitField {
    static let (type, options) = (0, 1)
    static let normalization: UInt8 = 1
    static let (mean, standardDeviation) = (0, 1)
  }

  private enum FileField {
    static let (name, type) = (0, 2)
    /// Labels of an axis, and labels of values.
    static let labels: Set<UInt8> = [2, 3]
  }

  fileprivate init(_ table: FlatBufferTable) {
    name = table.string(Field.name)
    details = table.string(Field.description)
    content = TFLiteMetadata.Content(table.table(Field.content))
    let unit = table.tables(Field.units).first {
      $0.byte(UnitField.type) == UnitField.normalization
    }
    let options = unit?.table(UnitField.options)
    mean = options?.floats(UnitField.mean) ?? []
    standardDeviation = options?.floats(UnitField.standardDeviation) ?? []
    labelFiles = table.tables(Field.files)
      .filter { FileField.labels.contains($0.byte(FileField.type)) }
      .map { $0.string(FileField.name) }
  }
}

extension TFLiteMetadata.Content {
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

extension LiteRTModel {
  /// What the model says of itself, where it says anything.
  public var modelMetadata: TFLiteMetadata? { metadataBytes.flatMap(TFLiteMetadata.init) }
}
