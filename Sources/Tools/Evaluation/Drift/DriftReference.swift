public import TensorIOBundle
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// The distributions of a model's inputs and results on data that is as it should be, as a file of the bundle.
///
/// `tensorio evaluate --reference` writes it. Later data and the requests of a server are compared with it.
public struct DriftReference: Sendable, Hashable {
  /// The path of the file in a bundle, which is not among the assets because it does not determine outputs.
  package static let path = BundleFolder.referenceName
  /// The maximum size of the file in bytes.
  package static let maxBytes = 1 << 26
  /// The maximum number of edges of a histogram.
  private static let maxEdges = 1024

  /// The histogram of a number.
  package struct Distribution: Sendable, Hashable {
    /// The name of the number.
    package var name = ""
    /// What the number describes.
    package var source = DriftFeatures.Source.input
    /// Whether the number is a class.
    package var isClass = false
    /// The inner edges of the bins, in ascending order; a value on an edge is in the bin on its right.
    package var edges: [Double] = []
    /// The number of values in each bin, one more than there are edges.
    package var counts: [Int] = []
    /// The number of items without a value.
    package var missing = 0
  }

  /// The number of items.
  public private(set) var count = 0
  /// The histograms.
  package private(set) var distributions: [Distribution] = []
  /// Embeddings of some items, with unit length.
  package private(set) var vectors: [[Float]] = []
  /// The length of an embedding.
  private var dimensions = 0

  /// Creates the reference of items.
  public init(_ sample: DriftSample) {
    count = sample.count
    vectors = sample.vectors
    dimensions = vectors.first?.count ?? 0
    distributions = zip(sample.features, sample.columns).map { feature, column in
      let values = column.filter(\.isFinite)
      let edges =
        feature.classCount.map { count in (1..<max(1, count)).map { Double($0) - 0.5 } }
        ?? DriftStatistic.innerEdges(of: values)
      return Distribution(
        name: feature.name, source: feature.source, isClass: feature.classCount != nil,
        edges: edges, counts: DriftStatistic.counts(of: values, edges),
        missing: column.count - values.count)
    }
  }

  private init() {}
}

// MARK: The file

extension DriftReference {
  private static let format = ObjectFormat(
    "a reference", schema: "reference", DriftReference()
  ) {
    Field("format", \.formatVersion, .integer(1...1), "The version of the format.")
    Field("items", \.count, .integer(1...(1 << 40)), "The number of items.")
    Field(
      "distributions", \.distributions, .list(of: Distribution.format.value, "distributions"),
      "The histograms.")
    Field(
      "dimensions", \.dimensions, .integer(0...DriftFeatures.maxDimensions), default: 0,
      "The length of an embedding.")
    Field(
      "embeddings", \.encodedVectors, .string, default: "",
      "Embeddings of unit length as 32-bit floats in Base64.")
  }

  private var formatVersion: Int {
    get { 1 }
    set {}
  }

  private var encodedVectors: String {
    get { Embedding(vectors.flatMap(\.self)).littleEndianBytes.base64 }
    set {
      let length = dimensions
      let values = [UInt8](base64: newValue).map { Embedding(littleEndianBytes: $0).values } ?? []
      vectors =
        length > 0
        ? stride(from: 0, to: values.count, by: length).map {
          Array(values[$0..<min(values.count, $0 + length)])
        } : []
    }
  }

  /// The text of the file.
  package var bytes: [UInt8] { Self.format.value.document(self) }

  /// Reads the text of a file.
  ///
  /// - Throws: A `ModelError` if it is not a valid reference.
  package init(parsing bytes: [UInt8]) throws(ModelError) {
    var reader = FormatReader()
    guard bytes.count <= Self.maxBytes,
      let root = try? JSONDocument(parsing: bytes, limits: JSONLimits(bytes: Self.maxBytes)).root,
      let reference = Self.format.read(root, &reader), !reader.log.hasErrors, reference.isValid
    else {
      throw ModelError(
        .bundle,
        .unreadableFile(Self.path, detail: "it is not a reference that `evaluate` has written"))
    }
    self = reference
  }

  /// Reads the reference of a bundle; `nil` if the bundle has none.
  ///
  /// - Parameter bundle: The bundle.
  /// - Throws: A `ModelError` if the file is invalid.
  public init?(of bundle: ModelBundle) throws(ModelError) {
    guard (try? bundle.folder.resolvedPath(of: Self.path)) != nil else { return nil }
    let bytes = try bundle.folder.bytes(of: Self.path, limit: Self.maxBytes)
    do throws(ModelError) {
      try self.init(parsing: bytes)
    } catch {
      throw error.in(file: bundle.path)
    }
  }

  /// Whether all numbers are within their bounds.
  private var isValid: Bool {
    let length = dimensions
    return distributions.count <= DriftFeatures.maxCount
      && distributions.allSatisfy { $0.isValid(maxEdges: Self.maxEdges) }
      && Set(distributions.map(\.name)).count == distributions.count
      && vectors.count <= DriftSample.maxVectors
      && vectors.allSatisfy { $0.count == length && $0.allSatisfy(\.isFinite) }
  }

  /// Throws an error unless a reference can be written into a bundle.
  package static func throwIfUnwritable(_ bundle: ModelBundle) throws(ModelError) {
    guard !bundle.isChain, FileKind(at: bundle.path) == .directory,
      FileKind(at: "\(bundle.path)/\(BundleManifest.signatureName)") == nil
    else {
      throw ModelError(
        .bundle,
        .unmetRequirement(
          "writing a reference requires the folder of a bundle that is neither packed nor signed"),
        file: bundle.path)
    }
  }

  /// Writes the reference into the folder of a bundle.
  ///
  /// - Parameter bundle: A bundle that is neither packed nor signed.
  /// - Throws: A `ModelError` if the bundle cannot be changed.
  public func write(to bundle: ModelBundle) throws(ModelError) {
    try Self.throwIfUnwritable(bundle)
    let path = "\(bundle.path)/\(Self.path)"
    try AtomicDirectoryWriter.mapFileErrors(at: path) { () throws(FileError) in
      try AtomicFile.write(bytes, to: path)
    }
    if FileKind(at: "\(bundle.path)/\(BundleManifest.name)") != nil {
      try BundleManifest.write(into: bundle.path)
    }
  }
}

extension DriftReference.Distribution {
  fileprivate static let format = ObjectFormat(
    "a distribution", schema: "distribution", DriftReference.Distribution()
  ) {
    Field("name", \.name, .nonemptyString, "The name of the number.")
    Field("source", \.source, .choice(DriftFeatures.Source.self), "What the number describes.")
    Field("class", \.isClass, .boolean, default: false, "Whether the number is a class.")
    Field(
      "edges", \.edges, .numberRow, "The inner edges of the bins, in ascending order.")
    Field(
      "counts", \.counts, .list(of: .integer(0...(1 << 40)), "counts").onOneLine,
      "The number of values in each bin.")
    Field(
      "missing", \.missing, .integer(0...(1 << 40)), default: 0, isAlwaysWritten: true,
      "The number of items without a value.")
  }

  /// Returns the index of the bin of a number; that after the last one for a number that is missing.
  package func bin(of number: Double) -> Int {
    number.isFinite ? DriftStatistic.bin(of: number, edges) : counts.count
  }

  fileprivate func isValid(maxEdges: Int) -> Bool {
    edges.count <= maxEdges && counts.count == edges.count + 1
      && edges.allSatisfy(\.isFinite) && zip(edges, edges.dropFirst()).allSatisfy { $0 < $1 }
  }
}
