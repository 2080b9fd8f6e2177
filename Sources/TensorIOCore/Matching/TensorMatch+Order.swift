extension TensorMatch {
  /// Layers that bear the names of other tensors than those that they stand for.
  ///
  /// Order decides and names are the application's own, but names that are the model's in another
  /// order are hardly meant so.
  var orderProblems: [Problem] {
    orderProblems("inputs", description.inputs, signature.inputs)
      + orderProblems("outputs", description.outputs, signature.outputs)
  }

  private func orderProblems(
    _ key: String, _ layers: [Layer], _ tensors: [TensorInfo]
  ) -> [Problem] {
    let names = tensors.map(\.name)
    return zip(layers, names).enumerated().compactMap { index, pair in
      let (layer, name) = pair
      guard layer.name != name, names.contains(layer.name) else { return nil }
      return Problem(
        .warning, .layerOrder, path: "/\(key)/\(index)/name", expected: name, found: layer.name,
        message: "the layer '\(layer.name)' stands where the model has '\(name)'",
        suggestion: "layers stand in the order of the model's tensors, whatever their names")
    }
  }
}
