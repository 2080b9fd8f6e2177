/// Takes the values of placeholders to a model's tensors, which come after those of its inputs.
///
/// They are the same for all items of a batch.
struct PlaceholderEncoder: Sendable {
  /// A placeholder and its tensor; `nil` where the runtime knows none.
  private struct Place {
    let layer: Layer
    let encoder: LayerEncoder?
  }

  private let places: [Place]
  private let inputCount: Int
  /// What the placeholders are when nobody says.
  let standard: [LayerValue?]

  /// An encoder for the placeholders of a description that fits the model.
  init(_ description: ModelDescription, _ signature: ModelSignature) {
    inputCount = signature.inputs.count
    let tensors = signature.placeholders
    places = description.placeholders.enumerated().map { index, layer in
      let encoder =
        index < tensors.count
        ? LayerEncoder(layer, tensor: tensors[index]) : nil
      return Place(layer: layer, encoder: encoder)
    }
    standard = places.map { place in
      place.encoder == nil ? nil : place.layer.value.map { .numbers(Numbers(.doubles($0))) }
    }
  }

  /// Takes the placeholders out of a dictionary of inputs.
  ///
  /// - Returns: the inputs alone, and the values of all placeholders.
  func split(
    _ input: ModelInput, _ given: Placeholders
  ) throws(ModelError) -> (input: ModelInput, values: [LayerValue?]) {
    guard case .named(var inputs) = input, !places.isEmpty else {
      return (input, try values(given))
    }
    var all = given
    for place in places {
      let value = inputs.removeValue(forKey: place.layer.name)
      if let value, all.values[place.layer.name] == nil { all.values[place.layer.name] = value }
    }
    return (.named(inputs), try values(all))
  }

  /// The values of all placeholders in order.
  func values(_ given: Placeholders) throws(ModelError) -> [LayerValue?] {
    if given.values.isEmpty { return standard }
    let names = places.map(\.layer.name)
    if let name = given.values.keys.filter({ !names.contains($0) }).min() {
      throw ModelError(.input, .unknownPlaceholder(name, known: names))
    }
    var values = standard
    for (index, place) in places.enumerated() {
      guard let value = given.values[place.layer.name] else { continue }
      guard let encoder = place.encoder else {
        throw ModelError(
          .input, .unsupported("a placeholder in this runtime"), layer: place.layer.name)
      }
      values[index] = try encoder.decoded(value)
    }
    return values
  }

  /// Writes the values that there are.
  func encode(_ values: [LayerValue?], into session: any Session) throws(ModelError) {
    for (index, value) in values.enumerated() {
      guard let value, let encoder = places[index].encoder else { continue }
      _ = try encoder.encode(value, into: session, at: inputCount + index)
    }
  }
}
