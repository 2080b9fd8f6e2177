/// The names of the classes that a ZipMap operator or a classifier declares.
enum ONNXClassLabels: Sendable, Hashable {
  case strings([String])
  case integers([Int64])

  /// The keys of the maps that a node returns, or `nil` if it is not a ZipMap.
  init?(zipMap node: ONNXNode) {
    guard node.qualifiedOperator == "ai.onnx.ml:ZipMap" else { return nil }
    self.init(node)
  }

  /// The classes of a node, or `nil` if it declares none.
  init?(_ node: ONNXNode) {
    let strings = node.attribute("classlabels_strings")?.strings ?? []
    let integers = ["classlabels_int64s", "classlabels_ints"].flatMap {
      node.attribute($0)?.integers ?? []
    }
    guard strings.isEmpty != integers.isEmpty else { return nil }
    self = strings.isEmpty ? .integers(integers.map(Int64.init)) : .strings(strings)
  }

  /// Returns the classes whose scores the outputs of a graph contain, by the outputs' names.
  ///
  /// Scores come from a classifier, directly or through operators that keep their order.
  static func ofScores(in graph: ONNXGraph) -> [String: ONNXClassLabels] {
    var labels: [String: ONNXClassLabels] = [:]
    for node in graph.nodes {
      guard let output = node.outputs.first else { continue }
      if let zipMap = Self(zipMap: node) {
        labels[output] = zipMap
      } else if node.outputs.count == 2, let classes = Self(node) {
        labels[node.outputs[1]] = classes
      } else if orderKeepingOperators.contains(node.operatorType), let input = node.input(0) {
        labels[output] = labels[input]
      }
    }
    let outputs = Set(graph.outputs.map(\.name))
    return labels.filter { outputs.contains($0.key) }
  }

  private static let orderKeepingOperators: Set = ["Cast", "Identity", "Normalizer", "Softmax"]

  var count: Int {
    switch self {
    case .strings(let labels): labels.count
    case .integers(let labels): labels.count
    }
  }

  /// The labels as text.
  var texts: [String] {
    switch self {
    case .strings(let labels): labels
    case .integers(let labels): labels.map { "\($0)" }
    }
  }
}
