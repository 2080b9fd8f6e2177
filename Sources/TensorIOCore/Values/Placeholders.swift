/// Values that a run takes besides its inputs, by name, such as a learning rate.
///
///     try model.run(houses, placeholders: ["rate": 0.1])
///
/// A placeholder that is not given has the `value` that `model.json` gives it.
public struct Placeholders: Sendable, Equatable {
  /// The values by name.
  public var values: [String: LayerValue]

  /// Values by name.
  public init(_ values: [String: LayerValue] = [:]) {
    self.values = values
  }
}

extension Placeholders: ExpressibleByDictionaryLiteral {
  /// Values by name; one that is written twice keeps its last value.
  public init(dictionaryLiteral elements: (String, any LayerValueConvertible)...) {
    values = Dictionary(
      elements.map { ($0, $1.layerValue) }, uniquingKeysWith: { _, last in last })
  }
}

extension ModelInput {
  /// The input with placeholders in it, for models of an application's own.
  func joined(with placeholders: Placeholders) throws(ModelError) -> ModelInput {
    if placeholders.values.isEmpty { return self }
    guard case .named(let values) = self else {
      throw ModelError(.input, .unsupported("giving placeholders beside inputs without names"))
    }
    return .named(values.merging(placeholders.values) { _, given in given })
  }
}
