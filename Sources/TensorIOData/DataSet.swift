public import TensorIOCore

/// Examples with their right answers, read from files when their turn comes.
///
/// A folder of pictures per label, a table (`.csv`, `.tsv`) or lines of JSON (`.ndjson`) give every
/// layer that is asked for a value:
///
/// ```swift
/// let data = try DataSet(at: "digits", for: description.inputs, labels: bundleLabels)
/// let first = try data.values(at: 0)["image"]
/// for try await step in Trainer(model).train(data) { print(step.loss ?? .nan) }
/// ```
///
/// Opening it reads all texts and the headers of all pictures, so that whatever is wrong with the
/// data is known before anything is computed: `ModelError.Reason.invalidData` lists it. No
/// picture stays in memory.
public struct DataSet: BatchSource {
  /// As many problems are listed, and as many warnings.
  public static let problemLimit = 100
  /// The bytes that a table, or a file of lines, may have.
  public static let textLimit = 1 << 30

  /// Where the data lies.
  public let path: String
  /// What it gives values to, in order.
  public let layers: [Layer]
  /// What the indexes of labels mean; none where nothing is labelled.
  public let labels: [String]
  /// What was left out, and why.
  public let warnings: [Problem]

  private let form: any DataForm

  /// Opens data for layers, of which one may take the index of a label.
  ///
  /// A single label tells nothing apart, so it counts as none. Where no labels are known, those of
  /// a folder are numbered in byte order.
  public init(at path: String, for layers: [Layer], labels: [String] = []) throws(ModelError) {
    var log = DataLog()
    let wanted = WantedData(layers, labels: labels)
    do throws(ModelError) {
      form = try DataForms.form(of: path).init(at: path, for: wanted, &log)
      if form.count == 0 { log.addEmptiness() }
      try log.check()
    } catch {
      throw error.in(file: path)
    }
    self.path = path
    self.layers = layers
    self.labels = form.labels
    warnings = log.warnings
  }

  /// The names of the layers, in order.
  public var keys: [String] { layers.map(\.name) }

  /// How many examples there are.
  public var count: Int { form.count }

  /// The values of an example, by layer; its pictures are encoded.
  public func values(at index: Int) throws(ModelError) -> [String: LayerValue] {
    do throws(ModelError) {
      return try form.item(at: index)
    } catch {
      throw error.in(file: path).at(item: index)
    }
  }

  /// An example as models take it.
  public func item(at index: Int) throws(ModelError) -> ModelInput {
    .named(try values(at: index))
  }

  /// What an example is called, for messages: a picture's path in the folder, or a line.
  public func name(at index: Int) -> String { form.name(at: index) }
}
