import TensorIOBundle
import TensorIOJSON
import TensorIOLibrary
import TensorIOTasks

/// The file of a taught bundle from which it can be taught again: the examples with their embeddings.
struct TeachingRecord: Sendable {
  /// The names of the files that a taught bundle has besides those of its backbone.
  enum Files {
    static let record = "teaching.json"
    static let backbone = "backbone.json"
    /// The description with which the backbone is trained, if it differs from that of the backbone.
    static let trainable = "trainable.json"
    static let labels = "classes.txt"
    static let all = [record, backbone, trainable, labels].map {
      "\(BundleFolder.assetsName)/\($0)"
    }
  }

  /// The maximum size of the file.
  private static let maxBytes = 1 << 28

  /// The classes, in the order of the scores.
  var classes: [String] = []
  /// The examples, in the order in which they were added.
  var examples: [TaughtExample] = []
  /// The weights of the classifier, a row for each class; empty in bundles of earlier versions.
  var weights: [Float] = []
  /// The bias of each class.
  var bias: [Float] = []

  private static let format = ObjectFormat("a record", schema: "teaching", TeachingRecord()) {
    Field("format", \.formatVersion, .integer(1...1), "The version of the format.")
    Field(
      "classes", \.classes, .list(of: .string, "labels"), "The classes, in the order of the scores."
    )
    Field(
      "examples", \.examples, .list(of: TaughtExample.format.value, "examples"), "The examples.")
    Field(
      "weights", \.encodedWeights, .string,
      "The weights of the classifier as 32-bit floats in Base64, a row for each class.")
    Field("bias", \.encodedBias, .string, "The bias of each class, as the weights.")
  }

  private var encodedWeights: String {
    get { weights.base64Text }
    set { weights = [Float](base64Text: newValue) }
  }

  private var encodedBias: String {
    get { bias.base64Text }
    set { bias = [Float](base64Text: newValue) }
  }

  /// The classifier; `nil` if the record has none.
  var head: WeightedClasses? {
    let columns = classes.isEmpty ? 0 : weights.count / classes.count
    guard columns > 0, weights.count == columns * classes.count, bias.count == classes.count,
      (weights + bias).allSatisfy(\.isFinite)
    else { return nil }
    return WeightedClasses(
      labels: classes,
      regression: LogisticRegression(
        weights: Matrix(columns: columns, values: weights.map(Double.init)),
        bias: bias.map(Double.init)))
  }

  private var formatVersion: Int {
    get { 1 }
    set {}
  }

  /// The text of the file.
  var bytes: [UInt8] { Self.format.value.document(self) }

  init() {}

  /// Reads the record of a bundle; `nil` if it was not taught.
  init?(of bundle: ModelBundle) throws(ModelError) {
    let name = "\(BundleFolder.assetsName)/\(Files.record)"
    guard (try? bundle.folder.resolvedPath(of: name)) != nil else { return nil }
    let bytes = try bundle.folder.bytes(of: name, limit: Self.maxBytes)
    var reader = FormatReader()
    guard
      let root = try? JSONDocument(parsing: bytes, limits: JSONLimits(bytes: Self.maxBytes)).root,
      let record = Self.format.read(root, &reader)
    else {
      throw ModelError(
        .bundle, .unreadableFile(name, detail: "it is not a record of teaching"), file: bundle.path)
    }
    self = record
  }
}

extension TaughtExample {
  fileprivate static let format = ObjectFormat("an example", schema: "example", TaughtExample()) {
    Field("class", \.label, .string, "The class.")
    Field("name", \.name, .string, "Where the example is from.")
    Field("digest", \.digest, .string, "The digest of the input and the backbone.")
    Field("trained", \.isTrained, .boolean, "Whether the backbone was trained on the example.")
    Field("vector", \.encodedEmbedding, .string, "The embedding as 32-bit floats in Base64.")
  }

  private var encodedEmbedding: String {
    get { embedding.base64Text }
    set { embedding = [Float](base64Text: newValue) }
  }
}

extension [Float] {
  /// The numbers as 32-bit floats in little-endian order, in Base64.
  fileprivate var base64Text: String { Embedding(self).littleEndianBytes.base64 }

  /// Reads numbers from ``base64Text``; none from invalid text.
  fileprivate init(base64Text text: String) {
    self = [UInt8](base64: text).map { Embedding(littleEndianBytes: $0).values } ?? []
  }
}
