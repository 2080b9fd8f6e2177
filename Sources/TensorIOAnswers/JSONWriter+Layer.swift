package import TensorIOCore

extension JSONWriter {
  /// Writes a layer as a bundle declares it, as members of an object.
  package mutating func declaration(of layer: Layer) {
    member("name", layer.name)
    member("type", layer.typeName)
    key("shape")
    numbers(layer.shape.signed)
    optional("dtype", layer.elementType) { $0.value($1.rawValue) }
  }

  /// Writes a member, `null` when there is nothing to write.
  package mutating func optional<Value>(
    _ name: String, _ value: Value?, _ write: (inout JSONWriter, Value) -> Void
  ) {
    key(name)
    if let value { write(&self, value) } else { null() }
  }
}
