import TensorIOBundle
import TensorIOCore
import TensorIOData
import TensorIOSystem

/// Labeled inputs of a model, from the files that `ExampleDataset` reads or from a folder of one class.
struct TeachingData {
  /// One input.
  struct Item: Sendable {
    /// The name for messages: a relative path, or a line.
    let name: String
    /// The label.
    let label: String
    /// Reads the input.
    let read: @Sendable () throws(ModelError) -> ModelInput
  }

  /// The inputs, in order.
  let items: [Item]
  /// The labels, in the order of their indices.
  let labels: [String]
  /// What was skipped while reading.
  let warnings: [Diagnostic]

  /// Opens a dataset.
  ///
  /// - Parameters:
  ///   - path: A folder with a folder per label, a table or an NDJSON file.
  ///   - model: The model that takes the inputs.
  ///   - labelColumn: The name of the column or key with the labels.
  /// - Throws: `ModelError` if the data cannot be read, or does not fit the model.
  init(at path: String, for model: Model, labelColumn: String) throws(ModelError) {
    let labels = try DatasetColumns.labels(in: path, column: labelColumn)
    let inputs = model.callerInputs
    let texts = model.textInputs
    let columnNames = DatasetColumns.columnNames(of: inputs, texts: texts, in: path)
    let label = Layer(
      name: labelColumn,
      kind: .scalar(NumericLayer(shape: [1], elementType: .int32, labelsFile: "labels.txt")))
    // A dataset reads the names of labels only if there are several; no cell is empty.
    let known = FileKind(at: path) == .directory ? [] : labels.count == 1 ? labels + [""] : labels
    let strings = inputs.filter { texts.contains($0.name) && !$0.isText }
    let data = try ExampleDataset(
      at: path, for: inputs + [label], labels: known, texts: Set(strings.map(\.name)),
      checkingImages: false, columnNames: columnNames)
    self.labels = labels
    warnings = data.warnings
    items = (0..<data.count).compactMap { index in
      guard let number = data.labelIndices(at: index).first, data.labels.indices.contains(number)
      else { return nil }
      return Item(name: data.name(at: index), label: data.labels[number]) {
        @Sendable () throws(ModelError) in
        let values = try data.values(at: index)
        let pairs = inputs.map { ($0.name, values[$0.name] ?? .list([])) }
        return .named(Dictionary(pairs) { first, _ in first })
      }
    }
  }

  /// Opens the files of one class.
  ///
  /// - Parameters:
  ///   - path: A folder of images or sounds, one such file, or a `.txt` file with a text on each line.
  ///   - label: The label of all files.
  ///   - model: The model, which takes one input.
  /// - Throws: `ModelError` if the path cannot be read, or the model takes other inputs.
  init(filesAt path: String, as label: String, for model: Model) throws(ModelError) {
    guard model.callerInputs.count == 1, let input = model.callerInputs.first else {
      throw ModelError(.input, .inputCount(expected: model.callerInputs.count, actual: 1))
    }
    (labels, warnings) = ([label], [])
    let isText = model.textInputs.contains(input.name)
    let files = try Self.files(at: path)
    guard isText else {
      items = files.map { file in
        Item(name: FilePath.lastComponent(of: file), label: label) {
          @Sendable () throws(ModelError) in
          .named([
            input.name: .bytes(
              try FileBytes.read(file, limit: ExampleDataset.maxTextBytes, .any, stage: .input))
          ])
        }
      }
      return
    }
    var texts: [Item] = []
    for file in files {
      let bytes = try FileBytes.read(file, limit: ExampleDataset.maxTextBytes, .any, stage: .input)
      let lines = String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      for (number, line) in lines.enumerated() where !line.allSatisfy(\.isWhitespace) {
        let name = "\(FilePath.lastComponent(of: file)), line \(number + 1)"
        texts.append(
          Item(name: name, label: label) { @Sendable () throws(ModelError) in
            .named([input.name: .strings([String(line)])])
          })
      }
    }
    items = texts
  }

  private static func files(at path: String) throws(ModelError) -> [String] {
    switch FileKind(at: path) {
    case .file: return [path]
    case .directory:
      do throws(FileError) {
        return try FileSystem.entryNames(in: path)
          .filter { !$0.hasPrefix(".") && FileKind(at: "\(path)/\($0)") == .file }
          .map { "\(path)/\($0)" }
      } catch {
        throw ModelError(.input, error.reason(named: path))
      }
    default: throw ModelError(.input, .missingFile(path))
    }
  }
}
