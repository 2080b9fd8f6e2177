public import TensorIOBundle
public import TensorIOCore

extension ModelOutput {
  /// Returns the result of a task.
  ///
  /// The task need not be the one that the bundle declares: it reads the outputs whose roles it requires.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "mobilenet.tiobundle")
  /// let output = try model.run(ImageBuffer(contentsOf: "cat.jpg"))
  /// let best = try output.result(of: ClassificationTask.self) { $0.options.top = 1 }
  /// ```
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
