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
    let count = value.partCount
    guard count == expected else {
      throw ModelError(.input, .inputCount(expected: expected, actual: count))
    }
    return value.parts
  }
}

extension LayerValue {
  /// How many inputs the value could be for.
  ///
  /// An array without elements may have any number of rows, so they are counted before they are
  /// made.
  fileprivate var partCount: Int {
    switch self {
    case .list(let values): values.count
    case .numbers(let numbers): numbers.shape.first ?? 1
    case .strings(let strings): strings.count
    case .bytes, .image, .classification: 1
    }
  }

  /// The values for one input each.
  fileprivate var parts: [LayerValue] {
    switch self {
    case .list(let values): values
    case .numbers(let numbers) where !numbers.shape.isEmpty: numbers.rows.map(LayerValue.numbers)
    case .strings(let strings): strings.map { .strings([$0]) }
    case .numbers, .bytes, .image, .classification: [self]
    }
  }
}
