package import TensorIOBundle

/// The tasks that bundles may declare.
package struct TaskRegistry: Sendable {
  /// The handlers of the tasks.
  package let handlers: [any TaskHandler.Type]

  /// Creates a registry.
  package init(_ handlers: [any TaskHandler.Type]) {
    self.handlers = handlers
  }

  /// The tasks of the library.
  package static let standard = TaskRegistry([
    ClassificationTask.self,
    DetectionTask.self,
    EmbeddingTask.self,
    ImageOutputTask.self,
    SegmentationTask.self,
    PoseTask.self,
    MapTask.self,
    QuestionAnsweringTask.self,
    TokenClassificationTask.self,
  ])

  /// What a bundle declares for each task.
  package var formats: [TaskFormat] { handlers.map { $0.format } }

  /// Returns the handler of a type of task; `nil` for a task of an application.
  package func handler(of type: String) -> (any TaskHandler.Type)? {
    handlers.first { $0.format.typeNames.contains(type) }
  }

  /// Returns the names of the tasks that have a setting.
  package func typeNames(withSetting key: String) -> [String] {
    formats.filter { $0.settings.contains { $0.key == key } }.flatMap(\.typeNames)
  }
}
