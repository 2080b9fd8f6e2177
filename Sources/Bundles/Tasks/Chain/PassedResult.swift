import TensorIOBundle
import TensorIOCore

/// A result that a chain passes on as a value, in pixels of the caller's image.
///
/// The task returns it as it is. Clients of tensors have only outputs: for them, a chain declares those of a model whose
/// results are decoded, and the result writes them.
protocol PassedResult: Sendable {
  /// Returns what a chain declares for such results.
  ///
  /// - Parameter model: What finds the results.
  /// - Returns: The outputs, and the task that reads them.
  /// - Throws: A ``ModelError`` if the model lacks outputs of its task.
  static func declaration(
    for model: ModelInfo
  ) throws(ModelError) -> (outputs: [Layer], task: TaskDescription)

  /// Returns the values of an output.
  ///
  /// - Parameters:
  ///   - role: The role of the output.
  ///   - task: The task that the chain declares.
  /// - Returns: The numbers with their shape.
  func numbers(of role: OutputRole, for task: TaskDescription) -> Numbers

  /// Returns the values of outputs that were declared.
  func layers(_ outputs: [Layer], for task: TaskDescription) -> [ModelOutput.Layer]
}

extension PassedResult {
  /// The roles of the outputs of decoded results, with their shapes.
  typealias Shapes = [(role: OutputRole, shape: [Int?])]

  /// Returns outputs with the names and the labels that the outputs of a model have for the same roles.
  static func outputs(_ shapes: Shapes, like outputs: [Layer] = []) -> [Layer] {
    shapes.map { role, shape in
      let layer = outputs.first { $0.role == role }
      let numeric = NumericLayer(
        shape: TensorShape(shape), labelsFile: layer?.labelsFile,
        labelOffset: layer?.labelOffset ?? 0)
      return Layer(name: layer?.name ?? role.name, kind: .array(numeric), role: role)
    }
  }

  /// Returns the values of outputs that were declared.
  func layers(_ outputs: [Layer], for task: TaskDescription) -> [ModelOutput.Layer] {
    outputs.compactMap { layer in
      layer.role.map { .init(name: layer.name, value: .numbers(numbers(of: $0, for: task))) }
    }
  }
}
