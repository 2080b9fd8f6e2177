public import TensorIOBundle
public import TensorIOCore

/// Examples that provide a value for each of a model's layers, read from files on demand.
///
/// The source is a folder with a folder of images per label, a table (`.csv`, `.tsv`) or an
/// `.ndjson` file:
///
/// ```swift
/// import TensorIO
/// import TensorIOData
///
/// let model = try TrainableModel(at: "digits.tiobundle")
/// let labels = (0...9).map(String.init)
/// let data = try ExampleDataset(at: "digits", for: model.inputs, labels: labels)
/// let first = try data.values(at: 0)["image"]
/// for try await step in Trainer(model).train(data) { print(step.loss ?? .nan) }
/// ```
///
/// Opening it parses the entire file and reads the headers of all images, so that errors are found
/// before any computation; the diagnostics of the error list them. Images are not kept in
/// memory.
public struct ExampleDataset: BatchSource, IndexedDataset {
  /// The maximum number of errors, and of warnings, that are listed.
  public static let maxDiagnostics = 100
  /// The maximum size of a table or NDJSON file, in bytes.
  public static let maxTextBytes = 1 << 30

  /// The path of the file or folder.
  public let path: String
  /// The layers that the dataset provides values for.
  public let layers: [Layer]
  /// The label names by index; empty if no layer takes labels.
  public let labels: [String]
  /// What was skipped while reading.
  public let warnings: [Diagnostic]

  /// The names of columns that are not those of their layers, by the names of the layers.
  private let columnNames: [String: String]
  private let format: any ExampleFormat
  private var selection: [Int]

  /// Opens a dataset.
  ///
  /// - Parameters:
  ///   - path: A folder, table or NDJSON file.
  ///   - layers: The layers to provide values for, of which one may take labels.
  ///   - labels: The label names by index. If there are fewer than two, the subfolders of a folder
  ///     are numbered in byte order.
  /// - Throws: `ModelError` if any example is invalid.
  public init(at path: String, for layers: [Layer], labels: [String] = []) throws(ModelError) {
    try self.init(at: path, for: layers, labels: labels, texts: [])
  }

  /// Opens a dataset for a model with tensors of strings.
  ///
  /// - Parameters:
  ///   - path: A folder, table or NDJSON file.
  ///   - layers: The layers to provide values for, of which one may take labels.
  ///   - labels: The label names by index.
  ///   - texts: The names of the layers whose tensors hold strings, which their descriptions do not say.
  /// - Throws: `ModelError` if any example is invalid.
  public init(
    at path: String, for layers: [Layer], labels: [String], texts: Set<String>
  ) throws(ModelError) {
    try self.init(at: path, for: layers, labels: labels, texts: texts, checkingImages: true)
  }

  /// Opens a dataset whose images can be checked when they are read, so that an unreadable one is
  /// an error of its example only.
  ///
  /// The columns of layers in `columnNames` have these names, which their diagnostics use too.
  package init(
    at path: String, for layers: [Layer], labels: [String], texts: Set<String>,
    checkingImages: Bool, columnNames: [String: String] = [:]
  ) throws(ModelError) {
    var log = DataDiagnosticLog()
    let columns = layers.map { layer in
      var column = layer
      column.name = columnNames[layer.name] ?? layer.name
      return column
    }
    let requirements = DataRequirements(
      columns, labels: labels, texts: Set(texts.map { columnNames[$0] ?? $0 }),
      checkingImages: checkingImages)
    do throws(ModelError) {
      format = try ExampleFormats.format(of: path).init(at: path, for: requirements, &log)
      if format.count == 0 { log.addEmptyDataError() }
      try log.throwIfAny()
    } catch {
      throw error.in(file: path)
    }
    self.path = path
    self.layers = layers
    self.columnNames = columnNames
    self.labels = format.labels
    warnings = log.warnings
    selection = Array(0..<format.count)
  }

  /// The names of ``layers``.
  public var keys: [String] { layers.map(\.name) }

  /// The number of examples.
  public var count: Int { selection.count }

  /// Reads the values of an example by layer name; images are encoded bytes.
  public func values(at index: Int) throws(ModelError) -> [String: LayerValue] {
    do throws(ModelError) {
      var values = try format.item(at: selection[index])
      for (layer, column) in columnNames {
        values[layer] = values.removeValue(forKey: column)
      }
      return values
    } catch {
      throw error.in(file: path).at(item: index)
    }
  }

  /// Reads an example as a model input.
  public func item(at index: Int) throws(ModelError) -> ModelInput {
    .named(try values(at: index))
  }

  /// Returns a name for messages: the relative path of an image, or a line.
  public func name(at index: Int) -> String { format.name(at: selection[index]) }
}

// MARK: Items

extension ExampleDataset {
  /// Always empty, because a dataset with an error cannot be opened.
  public var errors: [Diagnostic] { [] }

  /// Returns `nil`, because a dataset with an error cannot be opened.
  public func error(at index: Int) -> Diagnostic? { nil }

  /// Returns `nil`, because examples are not assigned to splits.
  public func split(at index: Int) -> DatasetSplit? { nil }

  /// Returns the label index of an example, or an empty array if no layer takes labels.
  public func labelIndices(at index: Int) -> [Int] {
    format.label(at: selection[index]).map { labels.indices.contains($0) ? [$0] : [] } ?? []
  }

  /// Returns the values of the columns or keys that belong to no layer.
  public func attributes(at index: Int) -> [String: String] {
    format.attributes(at: selection[index])
  }

  /// Returns the path of an example's image, or `nil` if it has no image file.
  public func imagePath(at index: Int) -> String? { format.imagePath(at: selection[index]) }

  /// Returns the examples at some indices, in that order.
  public func selecting(_ indexes: [Int]) -> ExampleDataset {
    var subset = self
    subset.selection = indexes.map { selection[$0] }
    return subset
  }
}

/// The layers for which a dataset must provide values.
struct DataRequirements: Sendable {
  let columns: [DataColumn]

  /// Creates the columns of layers; at most one layer takes labels.
  init(
    _ layers: [Layer], labels: [String], texts: Set<String> = [], checkingImages: Bool = true
  ) {
    let labels = labels.count > 1 ? labels : []
    let texts = texts.union(layers.filter(\.holdsText).map(\.name))
    let labelIndex =
      layers.firstIndex { $0.labelsFile != nil }
      ?? layers.lastIndex {
        layers.count > 1 && !texts.contains($0.name) && $0.canHoldLabel(count: labels.count)
      }
    columns = layers.enumerated().map { index, layer in
      DataColumn(
        layer: layer, isLabel: index == labelIndex, labels: labels,
        holdsText: texts.contains(layer.name), checksImages: checkingImages)
    }
  }

  /// The names of the layers.
  var names: [String] { columns.map(\.layer.name) }

  /// The known labels of the label column.
  var labels: [String] { columns.first(where: \.isLabel)?.labels ?? [] }

  /// Returns the column with a name.
  subscript(name: String) -> DataColumn? { columns.first { $0.layer.name == name } }

  /// Returns the columns of files and labels; throws if the layers are not exactly these two.
  func fileAndLabelColumns() throws(ModelError) -> (file: DataColumn, label: DataColumn) {
    let (files, labels) = (columns.filter(\.isFile), columns.filter(\.isLabel))
    guard files.count == 1, labels.count == 1, columns.count == 2 else {
      let layers = names.map { "'\($0)'" }.joined(separator: ", ")
      throw ModelError(
        .input,
        .wrongType(
          expected: "a table or NDJSON file with values for \(layers)",
          actual: "a folder, which provides one image or sound and one label"))
    }
    return (files[0], labels[0])
  }
}

extension Layer {
  /// Returns whether the layer can hold a label index, or one number per label.
  fileprivate func canHoldLabel(count: Int) -> Bool {
    switch kind {
    case .array, .scalar: elementCount == 1 || (count > 1 && elementCount == count)
    case .image, .string, .text, .audio: false
    }
  }
}

extension Layer {
  /// Whether the declared elements of a numeric layer are strings.
  fileprivate var holdsText: Bool {
    switch kind {
    case .array(let numeric), .scalar(let numeric): numeric.elementType == .string
    case .image, .string, .text, .audio: false
    }
  }
}
