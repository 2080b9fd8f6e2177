package import TensorIOBundle
import TensorIOJSON
import TensorIOSystem

/// The columns of a dataset whose labels no model knows yet.
package enum DatasetColumns {
  /// Returns the names of a table's columns, or the keys of the first line of an NDJSON file; none for a folder.
  ///
  /// - Parameter path: The dataset.
  /// - Returns: The names, in their order.
  /// - Throws: `ModelError` if the file cannot be read.
  private static func names(in path: String) throws(ModelError) -> [String] {
    guard FileKind(at: path) != .directory else { return [] }
    guard !isTable(path) else {
      let text = try TableText(at: path)
      var reader = CSVReader(text.bytes, separator: text.separator)
      return reader.next()?.cells.map(\.text.trimmed) ?? []
    }
    return try objects(in: path, upTo: 1).first?.members?.map(\.name) ?? []
  }

  /// Returns the name of the column for the only input of a model, unless it is that of the input: the one that is named
  /// after the input's kind.
  ///
  /// - Parameters:
  ///   - inputs: The inputs that a caller provides.
  ///   - texts: The names of inputs whose tensors hold strings.
  ///   - path: The dataset; what cannot be read is an error of the dataset, which is opened next.
  /// - Returns: The name by that of the input; empty if there are several inputs, or no such column.
  package static func columnNames(
    of inputs: [Layer], texts: Set<String>, in path: String
  ) -> [String: String] {
    guard inputs.count == 1, let input = inputs.first, let names = try? names(in: path),
      !names.contains(input.name)
    else { return [:] }
    let usual =
      input.isImage
      ? ["image"]
      : input.isAudio
        ? ["sound", "audio"]
        : input.isText || texts.contains(input.name) ? ["text", "sentence"] : []
    return usual.first(where: names.contains).map { [input.name: $0] } ?? [:]
  }

  /// Returns the labels of a dataset without repetitions, in byte order.
  ///
  /// - Parameters:
  ///   - path: A folder with a folder per label, a table or an NDJSON file.
  ///   - name: The name of the column or key with the labels.
  /// - Returns: The labels; those of a folder are the names of its folders.
  /// - Throws: `ModelError` if the file cannot be read or has no such column.
  package static func labels(
    in path: String, column name: String
  ) throws(ModelError) -> [String] {
    guard let kind = FileKind(at: path) else { throw ModelError(.input, .missingFile(path)) }
    guard kind != .directory else {
      return try DataPath.names(in: path).filter { FileKind(at: "\(path)/\($0)") == .directory }
    }
    let labels = isTable(path) ? try cells(path, name) : try members(path, name)
    return Set(labels).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  private static func isTable(_ path: String) -> Bool {
    path.hasFileExtension(in: ["csv", "tsv"])
  }

  private static func cells(_ path: String, _ name: String) throws(ModelError) -> [String] {
    let text = try TableText(at: path)
    var reader = CSVReader(text.bytes, separator: text.separator)
    let header = reader.next()?.cells.map(\.text.trimmed) ?? []
    guard let column = header.firstIndex(of: name) else {
      var log = DataDiagnosticLog()
      log.add(.missingColumn(name), path: "", line: 1)
      do throws(ModelError) { try log.throwIfAny() } catch { throw error.in(file: path) }
      return []
    }
    var labels: [String] = []
    while let row = reader.next() {
      // A row without the column is an error of the dataset, which is opened next.
      if row.cells.indices.contains(column) { labels.append(row.cells[column].text.trimmed) }
    }
    return labels.filter { !$0.isEmpty }
  }

  private static func members(_ path: String, _ name: String) throws(ModelError) -> [String] {
    try objects(in: path).compactMap { object in
      object[name].flatMap { node in node.string ?? node.int.map(String.init) }
    }
  }

  /// Returns the lines of an NDJSON file; those that cannot be read are errors of the dataset, which is opened next.
  private static func objects(
    in path: String, upTo count: Int = .max
  ) throws(ModelError) -> [JSONNode] {
    let bytes = try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, .any, stage: .input)
    let lines = IndexedLines(bytes)
    return Array(
      lines.all.lazy.compactMap { try? JSONNode(parsingData: lines[$0]) }.prefix(count))
  }
}
