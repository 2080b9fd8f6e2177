public import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// Returns the result of a task.
  ///
  /// The task need not be the one that the bundle declares: it reads the outputs whose roles it requires.
  ///
  /// - Parameters:
  ///   - type: The task.
  ///   - adjust: Changes the task, such as settings of the bundle.
  /// - Returns: The result.
  /// - Throws: A ``ModelError`` if no model returned this output, or it lacks what the task needs.
  public func result<Task: ModelTask>(
    of type: Task.Type = Task.self, _ adjust: (inout Task) -> Void = { _ in }
  ) throws(ModelError) -> Task.Result {
    var task = try task(type)
    adjust(&task)
    return try task.result(of: self)
  }

  /// Returns the task of the model that returned this output.
  func task<Task: ModelTask>(_ type: Task.Type) throws(ModelError) -> Task {
    guard let source else {
      throw ModelError(.output, .unsupported("decoding an output that no model returned"))
    }
    return try source.cached { (source) throws(ModelError) in try Task(source) }
  }
}

extension ModelOutput {
  /// The result of the bundle's task as a column with one entry; `nil` if the outputs themselves are the result.
  ///
  /// - Throws: A ``ModelError`` if no model returned this output, or it lacks what the task needs.
  public var resultColumn: ResultColumn? {
    get throws(ModelError) { try processed().result.result?.column }
  }
}
