public import TensorIOBundle

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

extension ModelInput {
  /// The values of a model's inputs, in the order of their names.
  ///
  /// A dictionary has exactly the declared names. A bare value is that of the only input; where
  /// there are several, it is a list with a value for each.
  public func values(for names: some Collection<String>) throws(ModelError) -> [LayerValue] {
    switch self {
    case .named(let values): try Self.ordered(values, Array(names))
    case .value(let value): names.count == 1 ? [value] : try Self.split(value, names.count)
    }
  }

  private static func ordered(
    _ values: [String: LayerValue], _ declared: [String]
  ) throws(ModelError) -> [LayerValue] {
    let ordered = declared.compactMap { values[$0] }
    guard ordered.count == declared.count, values.count == declared.count else {
      throw ModelError(
        .input,
        .inputNames(
          missing: declared.filter { values[$0] == nil },
          unexpected: values.keys.filter { !declared.contains($0) }.sorted(),
          declared: declared))
    }
    return ordered
  }

  private static func split(
    _ value: LayerValue, _ expected: Int
  ) throws(ModelError) -> [LayerValue] {
    let count = value.componentCount
    guard count == expected else {
      throw ModelError(.input, .inputCount(expected: expected, actual: count))
    }
    return value.components
  }
}

extension LayerValue {
  /// How many inputs the value could be for.
  ///
  /// An array without elements may have any number of rows, so they are counted before they are
  /// made.
  fileprivate var componentCount: Int {
    switch self {
    case .list(let values): values.count
    case .numbers(let numbers): numbers.shape.first ?? 1
    case .strings(let strings): strings.count
    case .bytes, .image, .classification: 1
    }
  }

  /// The values for one input each.
  fileprivate var components: [LayerValue] {
    switch self {
    case .list(let values): values
    case .numbers(let numbers) where !numbers.shape.isEmpty: numbers.rows.map(LayerValue.numbers)
    case .strings(let strings): strings.map { .strings([$0]) }
    case .numbers, .bytes, .image, .classification: [self]
    }
  }
}

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
  func merging(_ placeholders: Placeholders) throws(ModelError) -> ModelInput {
    if placeholders.values.isEmpty { return self }
    guard case .named(let values) = self else {
      throw ModelError(.input, .unsupported("giving placeholders beside inputs without names"))
    }
    return .named(values.merging(placeholders.values) { _, given in given })
  }
}
