public import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// The number for each pixel of the caller's image, such as its depth.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "depth.tiobundle")
  /// let depth = try model.run(ImageBuffer(contentsOf: "room.jpg")).map
  /// try depth.image.write(to: "depth.png")
  /// ```
  ///
  /// - Throws: A ``ModelError`` if the model has no output with the role `map`, or it does not have a
  ///   number for each cell of a grid.
  public var map: ValueMap {
    get throws(ModelError) { try result(of: MapTask.self) }
  }

  /// Returns the number for each pixel, with changes to the bundle's settings.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "depth.tiobundle")
  /// let output = try model.run(ImageBuffer(contentsOf: "room.jpg"))
  /// let depth = try output.map { $0.size = .model }
  /// ```
  ///
  /// - Parameter adjust: Changes the options of the bundle's task.
  /// - Returns: The map.
  /// - Throws: A ``ModelError`` if the model has no suitable output.
  public func map(_ adjust: (inout ImageOutputOptions) -> Void) throws(ModelError) -> ValueMap {
    try result(of: MapTask.self) { adjust(&$0.options) }
  }
}
