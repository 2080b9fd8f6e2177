internal import TensorIOCore

/// What a data set has to give: a value for every layer.
struct WantedData: Sendable {
  let columns: [DataColumn]

  /// What layers take, of which at most one takes the labels.
  init(_ layers: [Layer], labels: [String]) {
    let labels = labels.count > 1 ? labels : []
    let labelled =
      layers.firstIndex { $0.labels != nil }
      ?? layers.lastIndex { layers.count > 1 && $0.canTakeLabel(of: labels.count) }
    columns = layers.enumerated().map { index, layer in
      DataColumn(layer: layer, isLabelled: index == labelled, labels: labels)
    }
  }

  /// The names of the layers, in order.
  var names: [String] { columns.map(\.layer.name) }

  /// The labels that are known.
  var labels: [String] { columns.first(where: \.isLabelled)?.labels ?? [] }

  /// The column of a name.
  subscript(name: String) -> DataColumn? { columns.first { $0.layer.name == name } }

  /// The two columns that a folder of pictures per label has values for.
  func pictureAndLabel() throws(ModelError) -> (picture: DataColumn, label: DataColumn) {
    let (pictures, labels) = (columns.filter(\.isPicture), columns.filter(\.isLabelled))
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
  fileprivate func canTakeLabel(of count: Int) -> Bool {
    switch kind {
    case .array, .scalar: elementCount == 1 || (count > 1 && elementCount == count)
    case .image, .string: false
    }
  }
}
