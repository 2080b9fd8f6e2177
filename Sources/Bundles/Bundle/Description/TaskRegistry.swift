/// The tasks that bundles may declare.
///
/// Every bundle may declare the tasks of the library. An application adds its own to some models, or to all of them:
///
/// ```swift
/// import TensorIO
///
/// struct Counting: ModelTask {
///   static let format = TaskFormat("counting", outputs: [.count])
///   private let output: String
///
///   init(_ model: ModelInfo) throws(ModelError) { output = try model.output(.count) }
///
///   func result(of output: ModelOutput) throws(ModelError) -> Double {
///     try output.value(of: self.output)
///   }
/// }
///
/// let model = try Model(
///   at: "crowd.tiobundle", options: OpeningOptions(tasks: .standard + [Counting.self]))
/// TaskRegistry.register(Counting.self)  // for all models, as the command line and the server open them
/// ```
public struct TaskRegistry: Sendable {
  /// Returns what each task declares, which is made when it is used: most bundles declare one task or none.
  package let declarations: [@Sendable () -> TaskFormat]

  /// Creates a registry of tasks from functions that return what each of them declares.
  package init(declarations: [@Sendable () -> TaskFormat]) {
    self.declarations = declarations
  }

  /// What the tasks declare, in the order in which they recognize models.
  package var formats: [TaskFormat] { declarations.map { $0() } }

  /// Returns the format of the task of a description, which a model without a declared task may have too; `nil` if the
  /// registry has no such task.
  package func format(for description: ModelDescription) -> TaskFormat? {
    guard let task = description.task else { return first { $0.isImplied(description) } }
    return format(of: task)
  }

  /// Returns the format of a declared task; `nil` if the registry has no such task.
  package func format(of task: TaskDescription) -> TaskFormat? {
    task.format ?? first { $0.names.contains(task.type) }
  }

  private func first(where isMatch: (TaskFormat) -> Bool) -> TaskFormat? {
    for declaration in declarations {
      let format = declaration()
      if isMatch(format) { return format }
    }
    return nil
  }

  /// Returns the format with the most requirements that outputs meet; `nil` if they meet those of no task.
  package func format(fitting outputs: [Layer]) -> TaskFormat? {
    let fitting = formats.filter { $0.isSatisfied(by: outputs) }
    return fitting.max { $0.requiredOutputs.count < $1.requiredOutputs.count }
  }

  /// Returns the names of the tasks that have a setting.
  package func names(withSetting key: String) -> [String] {
    formats.filter { $0.settings.contains { $0.key == key } }.flatMap(\.names)
  }
}
