internal import TensorIOCore

/// A layer with the tensor of the graph that it stands for.
///
/// A class, so that a run that looks at it counts one reference and not one for every part.
final class BoundLayer: Sendable {
  let name: String
  let place: LoadedGraph.Place
  /// What is said of the tensor.
  let info: TensorInfo
  /// The shape of its memory for one item.
  let shape: [Int]
  /// Whether the graph cannot be run without a value.
  let isRequired: Bool
  /// What is tolerated about it.
  let warning: Problem?

  /// Binds a layer to the tensor that it names.
  init(
    _ layer: Layer, _ side: NamedGraph.Side, index: Int, in names: NamedGraph
  ) throws(ModelError) {
    let path = "/\(side.rawValue)/\(index)"
    guard let place = names.tensor(layer.name, side) else {
      let problem = names.problem(layer.name, path: path + "/name", wanted: "tensor")
      throw ModelError(.bundle, .invalidDescription([problem]))
    }
    let graph = names.graph
    let declared = try graph.shape(of: place)
    let isTolerated = declared.map { layer.isBatched(over: $0) } ?? false
    let shape = isTolerated ? layer.shape : declared ?? layer.shape
    name = layer.name
    self.place = place
    info = TensorInfo(
      name: graph.name(of: place), elementType: try graph.requireType(of: place, layer.name),
      shape: shape, key: graph.name(of: place) == layer.name ? nil : layer.name)
    self.shape = layer.shape(fitting: shape) ?? shape.oneItem
    isRequired = graph.operationType(of: place) == "Placeholder"
    warning = isTolerated ? layer.warning(over: declared, path) : nil
  }
}

extension Layer {
  /// Whether any number of items is declared over a tensor that says otherwise, in axes that hold
  /// nothing apart.
  ///
  /// Exporters wrote `(1,)` for labels that are fed as `[N,1]`, and TensorFlow never minded.
  fileprivate func isBatched(over tensor: TensorShape) -> Bool {
    shape.hasVariableBatch && !tensor.isDynamic && tensor.axes.count != shape.axes.count
      && shape.oneItem.longAxes == tensor.oneItem.longAxes
  }

  fileprivate func warning(over tensor: TensorShape?, _ path: String) -> Problem {
    Problem(
      .warning, .tensorShape, path: path + "/shape", expected: tensor?.description,
      found: shape.description,
      message: "the layer '\(name)' holds any number of items, the model's tensor only one")
  }
}

extension LoadedGraph {
  /// The type of a value's elements, which has to be one with support.
  func requireType(of place: Place, _ name: String) throws(ModelError) -> ElementType {
    let (type, number) = elementType(of: place)
    guard let type else {
      let what = "the type of the elements of '\(name)' (TensorFlow's number \(number))"
      throw ModelError(.runtime, .unsupported(what))
    }
    return type
  }
}
