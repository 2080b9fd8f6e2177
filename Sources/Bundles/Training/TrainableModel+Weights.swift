public import TensorIOBundle
public import TensorIOCore

extension TrainableModel {
  /// Which variables of a model to read.
  public enum WeightSelection: String, Sendable, Hashable, CaseIterable {
    /// The weights that training optimizes.
    case trainable
    /// All variables, with the state of the optimizer.
    case all
  }

  /// Returns the model's variables, always in the same order.
  ///
  /// The names, shapes and types are those of the model file: two models opened from the same bundle have
  /// the same variables.
  ///
  /// - Parameter selection: Which variables to return.
  /// - Returns: The variables.
  /// - Throws: A ``ModelError`` if the runtime cannot access the variables.
  public func variables(
    _ selection: WeightSelection = .trainable
  ) throws(ModelError) -> [ModelVariable] {
    let variables = try weights.model.variables()
    return selection == .all ? variables : variables.filter(\.isTrainable)
  }

  /// Returns the values of the model's variables, by name.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try TrainableModel(at: "line.tiobundle")
  /// let other = try TrainableModel(at: "line.tiobundle")
  /// try other.setWeights(model.weights())
  /// ```
  ///
  /// The values are copies. They are all of the same moment: no training step is performed while they
  /// are read.
  ///
  /// - Parameter selection: Which variables to read. The state of the optimizer is needed only to continue
  ///   a training exactly.
  /// - Returns: The values by the name of their variable.
  /// - Throws: A ``ModelError`` if the runtime cannot access the variables.
  public func weights(
    _ selection: WeightSelection = .trainable
  ) throws(ModelError) -> [String: Tensor] {
    let names = try variables(selection).map(\.name)
    var values: [Tensor] = []
    try weights.withLock { (_) throws(ModelError) in
      values = try weights.model.values(ofVariables: names)
    }
    return Dictionary(zip(names, values)) { first, _ in first }
  }

  /// Assigns values to the model's variables.
  ///
  /// Nothing is assigned unless all values fit. Models that share the weights, such as
  /// ``predictionModel()``, use the new values from their next run on.
  ///
  /// - Parameters:
  ///   - values: Values by the name of a variable.
  ///   - allowingPartial: Whether trainable variables without a value keep theirs. Otherwise they are
  ///     an error.
  /// - Throws: ``ModelError/weightNames`` if names are missing or unknown,
  ///   ``ModelError/wrongShape`` or
  ///   ``ModelError/wrongType`` with the name of the variable as
  ///   ``ModelError/layer``.
  public func setWeights(
    _ values: [String: Tensor], allowingPartial: Bool = false
  ) throws(ModelError) {
    let variables = try weights.model.variables()
    let names = Set(variables.map(\.name))
    let missing = variables.filter { $0.isTrainable && values[$0.name] == nil }.map(\.name)
    let unexpected = values.keys.filter { !names.contains($0) }.sorted()
    guard unexpected.isEmpty, missing.isEmpty || allowingPartial else {
      throw ModelError(
        .input, .weightNames(missing: allowingPartial ? [] : missing, unexpected: unexpected))
    }
    for variable in variables {
      if let value = values[variable.name] { try variable.requireFitting(value) }
    }
    guard !values.isEmpty else { return }
    try weights.mutate { () throws(ModelError) in try weights.model.assign(values) }
  }
}

extension ModelVariable {
  /// Throws if a value has another type or shape.
  fileprivate func requireFitting(_ value: Tensor) throws(ModelError) {
    guard value.elementType == elementType else {
      throw ModelError(
        .input, .wrongType(expected: "\(elementType)", actual: "\(value.elementType)"), layer: name)
    }
    guard value.shape == shape else {
      throw ModelError(
        .input, .wrongShape(expected: "\(shape)", actual: "\(value.shape)"), layer: name)
    }
  }
}
