extension ModelOutput {
  /// The result of a layer, as a type of the application's.
  ///
  ///     let price = try output.value(of: "price", as: Double.self)
  public func value<Value: LayerValueReadable>(
    of name: String, as type: Value.Type = Value.self
  ) throws(ModelError) -> Value {
    let value = try self[name]
    do throws(ModelError) {
      return try Value(value)
    } catch {
      throw error.at(layer: name)
    }
  }

  /// The result of the only layer, as a type of the application's.
  ///
  ///     let price: Double = try model.run(house).value()
  ///
  /// A model with several outputs is an error that lists them.
  public func value<Value: LayerValueReadable>(
    as type: Value.Type = Value.self
  ) throws(ModelError) -> Value {
    guard layers.count == 1 else {
      throw ModelError(
        .output, .wrongType(expected: "one output", actual: "\(layers.count): \(names)"))
    }
    return try value(of: layers[0].name, as: type)
  }
}
