/// Everything that one run of a model takes.
///
/// A model with one input takes a bare value. One with several takes a dictionary by name or a
/// list in the order of `model.json`:
///
///     try model.run(["features": [1890, 3, 2, 1.6]])
///     try model.run([[1, 2, 3, 4], [10, 20, 30, 40]])
public enum ModelInput: Sendable, Equatable {
  /// A value for the only input, or a list of values for all of them.
  case value(LayerValue)
  /// Values by the names of the inputs.
  case named([String: LayerValue])
}

/// A type of an application that holds everything that a model takes.
public protocol ModelInputConvertible {
  /// The values for all inputs.
  var modelInput: ModelInput { get }
}

extension LayerValueConvertible {
  /// The value, for a model of one input.
  public var modelInput: ModelInput { .value(layerValue) }
}

extension ModelInput: ModelInputConvertible {
  /// The input itself.
  public var modelInput: ModelInput { self }
}

extension Dictionary: ModelInputConvertible where Key == String, Value: LayerValueConvertible {
  /// The values by name.
  public var modelInput: ModelInput { .named(mapValues(\.layerValue)) }
}

extension ModelInput: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral
{
  /// Values by name.
  ///
  /// A name that is written twice keeps its last value.
  public init(dictionaryLiteral elements: (String, any LayerValueConvertible)...) {
    self = .named(
      Dictionary(elements.map { ($0, $1.layerValue) }, uniquingKeysWith: { _, last in last }))
  }

  /// Values in order.
  public init(arrayLiteral elements: any LayerValueConvertible...) {
    self = .value(.layerValue(of: elements.map(\.layerValue)))
  }

  /// One integer.
  public init(integerLiteral value: Int64) {
    self = .value(value.layerValue)
  }

  /// One number.
  public init(floatLiteral value: Double) {
    self = .value(value.layerValue)
  }
}
