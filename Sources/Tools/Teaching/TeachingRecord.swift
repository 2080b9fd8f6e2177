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
    static let labels = "classes.txt"
    static let all = [record, backbone, labels].map { "\(BundleFolder.assetsName)/\($0)" }
  }

  /// The maximum size of the file.
  private static let maxBytes = 1 << 28

  /// The classes, in the order of the scores.
  var classes: [String] = []
  /// The examples, in the order in which they were added.
  var examples: [TaughtExample] = []

  private static let format = ObjectFormat("a record", schema: "teaching", TeachingRecord()) {
    Field("format", \.formatVersion, .integer(1...1), "The version of the format.")
    Field(
      "classes", \.classes, .list(of: .string, "labels"), "The classes, in the order of the scores."
    )
    Field(
      "examples", \.examples, .list(of: TaughtExample.format.value, "examples"), "The examples.")
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
    Field("vector", \.encodedEmbedding, .string, "The embedding as 32-bit floats in Base64.")
  }

  private var encodedEmbedding: String {
    get { Embedding(embedding).littleEndianBytes.base64 }
    set {
      embedding = [UInt8](base64: newValue).map { Embedding(littleEndianBytes: $0).values } ?? []
    }
  }
}
