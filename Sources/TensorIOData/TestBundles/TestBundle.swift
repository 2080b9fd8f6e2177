public import TensorIOBundle
import TensorIOImage
import TensorIOJSON
import TensorIOSystem

/// A folder that says which models to run on which pictures, and what should come out.
///
/// It is the original's `.testbundle`: a `test.json` with the pictures beside it.
///
/// ```swift
/// let test = try TestBundle(at: "classifier-1.testbundle")
/// for model in test.models { print(model, test.options.iterations, test.options.metric) }
/// for index in 0..<test.count { print(test.source(at: index), test.expected(at: index)) }
/// ```
public struct TestBundle: IndexedDataset {
  /// The bytes that a `test.json` may have.
  public static let maxDescriptionBytes = 16 << 20
  /// How often pictures may be run.
  public static let maxIterations = 1_000_000
  /// The metrics that the original has.
  public static let legacyMetrics = ["EvaluationMetricAccuracyTop5"]
  /// The file that describes it.
  public static let descriptionName = "test.json"

  /// How a test is run.
  public struct Options: Sendable, Hashable {
    /// How often each picture is run.
    public var iterations = 1
    /// The name of what the answers are measured with; none where none is named.
    public var metric: String?

    /// A single run, measured with nothing.
    public init() {}
  }

  /// Where a picture comes from.
  public enum Source: Sendable, Hashable {
    /// A file, by its path.
    case file(String)
    /// An address, to be fetched by the caller.
    case url(String)
  }

  /// Where the folder lies.
  public let path: String
  /// What people call the test.
  public internal(set) var name = ""
  /// What programs call the test.
  public internal(set) var identifier = ""
  /// Which version of the test it is.
  public internal(set) var version = ""
  /// The identifiers of the bundles to run.
  public internal(set) var models: [String] = []
  /// How the test is run.
  public internal(set) var options = Options()
  /// All labels that are expected of any picture, in byte order.
  public internal(set) var labels: [String] = []
  /// What is wrong with the test and its pictures.
  public internal(set) var errors: [Diagnostic] = []
  /// What is doubtful.
  public internal(set) var warnings: [Diagnostic] = []

  var items: [Item] = []
  var selection: [Int] = []
  /// Where a picture is among the items, by its name.
  var indexes: [String: Int] = [:]

  struct Item: Sendable {
    let name: String
    let source: Source
    let location: DataLocation
    var expected: [String: [String]] = [:]
    var error: Diagnostic?
  }

  /// Opens a test, whose metric must be among some names.
  ///
  /// Throws when the description cannot be read at all. All else that is wrong is told by
  /// ``problems``, and the rest is as good as ever.
  public init(
    at path: String, metrics: [String] = TestBundle.legacyMetrics
  ) throws(ModelError) {
    self.path = FilePath.removingTrailingSlashes(path)
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      let bytes = try FileBytes.read(
        "\(self.path)/\(Self.descriptionName)", limit: Self.maxDescriptionBytes, stage: .input)
      do throws(LocatedDiagnostic) {
        try read(JSONObjectReader(JSONNode(parsingLocated: bytes, .modelDescription)), metrics, &log)
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
  /// How many pictures there are.
  public var count: Int { selection.count }

  private func item(_ index: Int) -> Item { items[selection[index]] }

  /// What the test calls a picture.
  public func name(at index: Int) -> String { item(index).name }

  /// Where a picture comes from.
  public func source(at index: Int) -> Source { item(index).source }

  /// What is expected of a picture: for each output, its labels.
  public func expected(at index: Int) -> [String: [String]] { item(index).expected }

  /// What is wrong with a picture.
  public func error(at index: Int) -> Diagnostic? { item(index).error }

  /// A test's pictures are set apart for nothing.
  public func split(at index: Int) -> DatasetSplit? { nil }

  /// The labels that any output is expected to give.
  public func labelIndices(at index: Int) -> [Int] {
    let expected = Set(item(index).expected.values.joined())
    return labels.indices.filter { expected.contains(labels[$0]) }
  }

  /// The bytes of a picture's file; `nil` for one that has to be fetched.
  public func imageBytes(at index: Int) throws(ModelError) -> [UInt8]? {
    try throwIfInvalid(item: index)
    guard case .file(let path) = source(at: index) else { return nil }
    do throws(ModelError) {
      return try FileBytes.read(path, limit: ImageLimits.maxFileBytes, stage: .input)
    } catch {
      throw error.in(file: self.path).at(item: index)
    }
  }

  /// The pictures at some places, in that order.
  public func selecting(_ indexes: [Int]) -> TestBundle {
    var subset = self
    subset.selection = indexes.map { selection[$0] }
    return subset
  }
}
