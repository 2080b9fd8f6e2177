public import TensorIOBundle
import TensorIOImage
import TensorIOJSON
import TensorIOSystem

/// A folder that lists models, images and the expected results of each image.
///
/// This is the `.testbundle` format of the original TensorIO library: a `test.json` with images
/// next to it.
///
/// ```swift
/// import TensorIOData
///
/// let test = try TestBundle(at: "classifier-1.testbundle")
/// print(test.models, test.options.iterations, test.options.metric ?? "no metric")
/// for index in 0..<test.count { print(test.source(at: index), test.expected(at: index)) }
/// ```
public struct TestBundle: IndexedDataset {
  /// The maximum size of `test.json`, in bytes.
  public static let maxDescriptionBytes = 16 << 20
  /// The maximum number of iterations.
  public static let maxIterations = 1_000_000
  /// The metrics of the original TensorIO library.
  public static let legacyMetrics = ["EvaluationMetricAccuracyTop5"]
  /// The name of the description file.
  public static let descriptionName = "test.json"

  /// Options for running a test.
  public struct Options: Sendable, Hashable {
    /// The number of runs per image.
    public var iterations = 1
    /// The name of the metric, if the test names one.
    public var metric: String?

    /// Creates options for a single run without a metric.
    public init() {}
  }

  /// The source of an image.
  public enum Source: Sendable, Hashable {
    /// A file at a path.
    case file(String)
    /// A URL that the caller must fetch.
    case url(String)
  }

  /// The path of the folder.
  public let path: String
  /// The display name.
  public internal(set) var name = ""
  /// The identifier.
  public internal(set) var identifier = ""
  /// The version.
  public internal(set) var version = ""
  /// The identifiers of the bundles to run.
  public internal(set) var models: [String] = []
  /// The options for running the test.
  public internal(set) var options = Options()
  /// All labels expected for any image, in byte order.
  public internal(set) var labels: [String] = []
  /// The errors of the test and of its images.
  public internal(set) var errors: [Diagnostic] = []
  /// The warnings of the test.
  public internal(set) var warnings: [Diagnostic] = []

  var items: [Item] = []
  var selection: [Int] = []
  /// The index of an item by the name of its image.
  var indexes: [String: Int] = [:]

  struct Item: Sendable {
    let name: String
    let source: Source
    let location: DataLocation
    var expected: [String: [String]] = [:]
    var error: Diagnostic?
  }

  /// Opens a test.
  ///
  /// - Parameters:
  ///   - path: The folder.
  ///   - metrics: The names of metrics that the test may use.
  /// - Throws: `ModelError` if the description cannot be parsed. All other errors are in
  ///   ``errors``.
  public init(
    at path: String, metrics: [String] = TestBundle.legacyMetrics
  ) throws(ModelError) {
    self.path = FilePath.removingTrailingSlashes(path)
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      let bytes = try FileBytes.read(
        "\(self.path)/\(Self.descriptionName)", limit: Self.maxDescriptionBytes, stage: .input)
      do throws(LocatedDiagnostic) {
        try read(
          JSONObjectReader(JSONNode(parsingLocated: bytes, .modelDescription)), metrics, &log)
      } catch {
        log.add(error)
        try log.throwIfAny()
      }
    } catch {
      throw error.in(file: path)
    }
    (errors, warnings) = (log.reportedErrors, log.warnings)
    selection = Array(items.indices)
  }
}

// MARK: Items

extension TestBundle {
  /// The number of images.
  public var count: Int { selection.count }

  private func item(_ index: Int) -> Item { items[selection[index]] }

  /// Returns the name of an image in the test.
  public func name(at index: Int) -> String { item(index).name }

  /// Returns the source of an image.
  public func source(at index: Int) -> Source { item(index).source }

  /// Returns the expected labels of an image by output.
  public func expected(at index: Int) -> [String: [String]] { item(index).expected }

  /// Returns the error of an image.
  public func error(at index: Int) -> Diagnostic? { item(index).error }

  /// Returns `nil`, because images of a test are not assigned to splits.
  public func split(at index: Int) -> DatasetSplit? { nil }

  /// Returns the indices of the labels expected of any output.
  public func labelIndices(at index: Int) -> [Int] {
    let expected = Set(item(index).expected.values.joined())
    return labels.indices.filter { expected.contains(labels[$0]) }
  }

  /// Reads the file of an image; returns `nil` if the image has a URL.
  public func imageBytes(at index: Int) throws(ModelError) -> [UInt8]? {
    try throwIfInvalid(item: index)
    guard case .file(let path) = source(at: index) else { return nil }
    do throws(ModelError) {
      return try FileBytes.read(path, limit: ImageLimits.maxFileBytes, stage: .input)
    } catch {
      throw error.in(file: self.path).at(item: index)
    }
  }

  /// Returns the images at some indices, in that order.
  public func selecting(_ indexes: [Int]) -> TestBundle {
    var subset = self
    subset.selection = indexes.map { selection[$0] }
    return subset
  }
}
