public import TensorIOBundle

/// The values of all inputs for one run of a model.
///
/// For a model with one input, this is a single value. For a model with several inputs, it is a
/// dictionary by name, or a list in the order of `model.json`:
///
/// ```swift
/// import TensorIO
///
/// let houses = try Model(at: "houses.tiobundle")
/// let named = try houses.run(["area": 1890, "rooms": [3, 2]])
/// let ordered = try houses.run([[1890], [3, 2]])
/// ```
public enum ModelInput: Sendable, Equatable {
  /// The value of the only input, or a list of the values of all inputs.
  case value(LayerValue)
  /// Values by input name.
  case named([String: LayerValue])
}

/// A type that provides the values of all inputs of a model.
///
/// To pass your own type to ``Model/run(_:placeholders:)-(ModelInput,_)``, make it conform:
///
/// ```swift
/// import TensorIO
///
/// struct House: ModelInputConvertible {
///   var area: Double
///   var bedrooms: Double
///   var bathrooms: Double
///   var modelInput: ModelInput { ["area": area, "rooms": [bedrooms, bathrooms]] }
/// }
/// ```
public protocol ModelInputConvertible {
  /// The values of all inputs.
  var modelInput: ModelInput { get }
}

extension LayerValueConvertible {
  /// The value of the only input.
  public var modelInput: ModelInput { .value(layerValue) }
}

extension ModelInput: ModelInputConvertible {
  /// The input itself.
  public var modelInput: ModelInput { self }
}

extension Dictionary: ModelInputConvertible where Key == String, Value: LayerValueConvertible {
  /// The values by input name.
  public var modelInput: ModelInput { .named(mapValues(\.layerValue)) }
}

extension ModelInput: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral
{
  /// Creates named values; a repeated name keeps its last value.
  public init(dictionaryLiteral elements: (String, any LayerValueConvertible)...) {
    self = .named(
      Dictionary(elements.map { ($0, $1.layerValue) }, uniquingKeysWith: { _, last in last }))
  }

  /// Creates values in the order of the inputs.
  public init(arrayLiteral elements: any LayerValueConvertible...) {
    self = .value(.layerValue(of: elements.map(\.layerValue)))
  }

  /// Creates a single integer.
  public init(integerLiteral value: Int64) {
    self = .value(value.layerValue)
  }

  /// Creates a single number.
  public init(floatLiteral value: Double) {
    self = .value(value.layerValue)
  }
}

extension ModelInput {
  /// Returns the values of a model's inputs, in the order of their names.
  ///
  /// - Parameter names: The names of the inputs.
  /// - Returns: One value per name.
  /// - Throws: ``ModelError/inputNames`` if a dictionary has
  ///   other names, and ``ModelError/inputCount`` if a list has another
  ///   count.
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
  /// The number of inputs that the value could be split into.
  ///
  /// This is counted before splitting, since an empty array can have any number of rows.
  fileprivate var componentCount: Int {
    switch self {
    case .list(let values): values.count
    case .numbers(let numbers): numbers.shape.first ?? 1
    case .strings(let strings): strings.count
    case .bytes, .tokens, .image, .audio, .classification: 1
    }
  }

  /// The parts of the value, one per input.
  fileprivate var components: [LayerValue] {
    switch self {
    case .list(let values): values
    case .numbers(let numbers) where !numbers.shape.isEmpty: numbers.rows.map(LayerValue.numbers)
    case .strings(let strings): strings.bytes.map { .strings(Strings(bytes: [$0])) }
    case .numbers, .bytes, .tokens, .image, .audio, .classification: [self]
    }
  }
}

/// Values of optional inputs by name, such as a learning rate.
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "houses.tiobundle")
/// let output = try model.run(["area": 1890, "rooms": [3, 2]], placeholders: ["year": 2024])
/// ```
///
/// A placeholder without a value has the default from `model.json`.
public struct Placeholders: Sendable, Equatable {
  /// The values by name.
  public var values: [String: LayerValue]

  /// Creates placeholders from values by name.
  public init(_ values: [String: LayerValue] = [:]) {
    self.values = values
  }
}

extension Placeholders: ExpressibleByDictionaryLiteral {
  /// Creates placeholders from values by name; a repeated name keeps its last value.
  public init(dictionaryLiteral elements: (String, any LayerValueConvertible)...) {
    values = Dictionary(
      elements.map { ($0, $1.layerValue) }, uniquingKeysWith: { _, last in last })
  }
}

extension ModelInput {
  /// Returns the named values of the input and the placeholders, for a ``ModelRunner``.
  func merging(_ placeholders: Placeholders) throws(ModelError) -> ModelInput {
    if placeholders.values.isEmpty { return self }
    guard case .named(let values) = self else {
      throw ModelError(.input, .unsupported("combining placeholders with unnamed inputs"))
    }
    return .named(values.merging(placeholders.values) { _, placeholder in placeholder })
  }
}
