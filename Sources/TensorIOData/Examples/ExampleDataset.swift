public import TensorIOBundle
public import TensorIOCore

/// Examples with their right answers, read from files when their turn comes.
///
/// A folder of pictures per label, a table (`.csv`, `.tsv`) or lines of JSON (`.ndjson`) give every
/// layer that is asked for a value:
///
/// ```swift
/// let data = try ExampleDataset(at: "digits", for: description.inputs, labels: bundleLabels)
/// let first = try data.values(at: 0)["image"]
/// for try await step in Trainer(model).train(data) { print(step.loss ?? .nan) }
/// ```
///
/// Opening it reads all texts and the headers of all pictures, so that whatever is wrong with the
/// data is known before anything is computed: `ModelError.Reason.invalidData` lists it. No
/// picture stays in memory.
public struct ExampleDataset: BatchSource, IndexedDataset {
  /// As many problems are listed, and as many warnings.
  public static let maxDiagnostics = 100
  /// The bytes that a table, or a file of lines, may have.
  public static let maxTextBytes = 1 << 30

  /// Where the data lies.
  public let path: String
  /// What it gives values to, in order.
  public let layers: [Layer]
  /// What the indexes of labels mean; none where nothing is labelled.
  public let labels: [String]
  /// What was left out, and why.
  public let warnings: [Diagnostic]

  private let format: any ExampleFormat
  private var selection: [Int]

  /// Opens data for layers, of which one may take the index of a label.
  ///
  /// A single label tells nothing apart, so it counts as none. Where no labels are known, those of
  /// a folder are numbered in byte order.
  public init(at path: String, for layers: [Layer], labels: [String] = []) throws(ModelError) {
    var log = DataDiagnosticLog()
    let wanted = DataRequirements(layers, labels: labels)
    do throws(ModelError) {
      format = try ExampleFormats.format(of: path).init(at: path, for: wanted, &log)
      if format.count == 0 { log.addEmptyDataError() }
      try log.throwIfAny()
    } catch {
      throw error.in(file: path)
    }
    self.path = path
    self.layers = layers
    self.labels = format.labels
    warnings = log.warnings
    selection = Array(0..<format.count)
  }

  /// The names of the layers, in order.
  public var keys: [String] { layers.map(\.name) }

  /// How many examples there are.
  public var count: Int { selection.count }

  /// The values of an example, by layer; its pictures are encoded.
  public func values(at index: Int) throws(ModelError) -> [String: LayerValue] {
    do throws(ModelError) {
      return try format.item(at: selection[index])
    } catch {
      throw error.in(file: path).at(item: index)
    }
  }

  /// An example as models take it.
  public func item(at index: Int) throws(ModelError) -> ModelInput {
    .named(try values(at: index))
  }

  /// What an example is called, for messages: a picture's path in the folder, or a line.
  public func name(at index: Int) -> String { format.name(at: selection[index]) }
}

// MARK: Items

extension ExampleDataset {
  /// There are none: data with a problem is not opened.
  public var errors: [Diagnostic] { [] }

  /// There is none: data with a problem is not opened.
  public func error(at index: Int) -> Diagnostic? { nil }

  /// Examples are set apart for nothing.
  public func split(at index: Int) -> DatasetSplit? { nil }

  /// The label of an example; none where nothing is labelled.
  public func labelIndices(at index: Int) -> [Int] {
    format.label(at: selection[index]).map { labels.indices.contains($0) ? [$0] : [] } ?? []
  }

  /// Where an example's picture lies; `nil` where it has none in a file.
  public func imagePath(at index: Int) -> String? { format.imagePath(at: selection[index]) }

  /// The examples at some places, in that order.
  public func selecting(_ indexes: [Int]) -> ExampleDataset {
    var subset = self
    subset.selection = indexes.map { selection[$0] }
    return subset
  }
}

/// What a data set has to give: a value for every layer.
struct DataRequirements: Sendable {
  let columns: [DataColumn]

  /// What layers take, of which at most one takes the labels.
  init(_ layers: [Layer], labels: [String]) {
    let labels = labels.count > 1 ? labels : []
    let labelled =
      layers.firstIndex { $0.labelsFile != nil }
      ?? layers.lastIndex { layers.count > 1 && $0.canHoldLabel(count: labels.count) }
    columns = layers.enumerated().map { index, layer in
      DataColumn(layer: layer, isLabel: index == labelled, labels: labels)
    }
  }

  /// The names of the layers, in order.
  var names: [String] { columns.map(\.layer.name) }

  /// The labels that are known.
  var labels: [String] { columns.first(where: \.isLabel)?.labels ?? [] }

  /// The column of a name.
  subscript(name: String) -> DataColumn? { columns.first { $0.layer.name == name } }

  /// The two columns that a folder of pictures per label has values for.
  func imageAndLabelColumns() throws(ModelError) -> (picture: DataColumn, label: DataColumn) {
    let (pictures, labels) = (columns.filter(\.isImage), columns.filter(\.isLabel))
    guard pictures.count == 1, labels.count == 1, columns.count == 2 else {
      let layers = names.map { "'\($0)'" }.joined(separator: ", ")
      throw ModelError(
        .input,
        .wrongType(
          expected: "a table or lines of JSON that give \(layers)",
          actual: "a folder, which gives one picture and one label"))
    }
    return (pictures[0], labels[0])
  }
}

extension Layer {
  /// Whether the layer can hold the index of a label, or a number for each of so many.
  fileprivate func canHoldLabel(count: Int) -> Bool {
    switch kind {
    case .array, .scalar: elementCount == 1 || (count > 1 && elementCount == count)
    case .image, .string: false
    }
  }
}
