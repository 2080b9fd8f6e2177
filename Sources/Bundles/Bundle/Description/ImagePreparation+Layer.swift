public import TensorIOImage

extension ImagePreparation {
  /// Creates the preparation that a layer declares.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "mobilenet.tiobundle")
  /// if case .image(let layer)? = model.inputs["image"]?.kind {
  ///   let prepared = try ImagePreparation(layer)(ImageBuffer(contentsOf: "cat.jpg"))
  ///   try prepared.image.write(to: "prepared.png")
  /// }
  /// ```
  public init(_ layer: ImageLayer) {
    self.init(
      width: layer.width, height: layer.height, fit: layer.fit, filter: layer.filter,
      pad: layer.pad, fitAnchor: layer.fitAnchor)
    (resize, sides) = (layer.resize, layer.sides)
  }
}
