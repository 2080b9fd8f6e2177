import Synchronization
public import TensorIOBundle
import TensorIOCore

extension TaskRegistry {
  /// The tasks of the library.
  public static let standard = TaskRegistry(
    [
      ClassificationTask.self,
      DetectionTask.self,
      EmbeddingTask.self,
      ImageOutputTask.self,
      SegmentationTask.self,
      PoseTask.self,
      TextDetectionTask.self,
      TextLineTask.self,
      ActivityTask.self,
      KeywordTask.self,
      MapTask.self,
      QuestionAnsweringTask.self,
      TokenClassificationTask.self,
    ] + textTasks)

  #if Everything
    private static let textTasks: [any ModelTask.Type] = [
      TranscriptionTask.self, GenerationTask.self, SpeechTask.self,
    ]
  #else
    private static let textTasks: [any ModelTask.Type] = []
  #endif

  private static let registered = Mutex(standard)
  /// Whether the application has registered a task.
  ///
  /// Without one, runs take no lock, which the child of a process that forks during a run would find locked.
  private static let isExtended = Atomic(false)

  /// The tasks of the library and those that the application has registered, which is the default of
  /// ``OpeningOptions``.
  public static var shared: TaskRegistry {
    isExtended.load(ordering: .acquiring) ? registered.withLock { $0 } : standard
  }

  /// Registers a task for all models that are opened from now on; it replaces one with its name.
  ///
  /// - Parameter task: The task.
  public static func register(_ task: any ModelTask.Type) {
    registered.withLock { $0 = $0 + [task] }
    isExtended.store(true, ordering: .releasing)
  }

  /// Creates a registry.
  ///
  /// - Parameter tasks: The tasks, in the order in which they recognize models.
  public init(_ tasks: [any ModelTask.Type]) {
    self.init(
      declarations: tasks.map { task in
        {
          var format = task.format
          format.implementation = TaskImplementation(task)
          return format
        }
      })
  }

  /// Returns a registry with more tasks, which replace those with their names.
  public static func + (registry: TaskRegistry, tasks: [any ModelTask.Type]) -> TaskRegistry {
    let added = TaskRegistry(tasks)
    let names = Set(added.formats.flatMap(\.names))
    return TaskRegistry(
      declarations: registry.declarations.filter { names.isDisjoint(with: $0().names) }
        + added.declarations)
  }

  /// The tasks.
  package var tasks: [any ModelTask.Type] { formats.compactMap(\.task) }
}

extension TaskFormat {
  /// The task.
  package var task: (any ModelTask.Type)? { (implementation as? TaskImplementation)?.task }
}

/// The type of a task, in an object: casting a type to one that conforms to a protocol searches all conformances of the
/// program, which takes longer than opening a small model.
private final class TaskImplementation: SteppingTask {
  let task: any ModelTask.Type

  init(_ task: any ModelTask.Type) { self.task = task }

  func makeRunner(
    for model: any SteppableRuntimeModel, _ info: ModelInfo, _ functions: [String: Model]
  ) throws(ModelError) -> (any ModelRunner)? {
    try (task as? any GeneratingTask.Type)?.makeRunner(for: model, info, functions)
  }

  func makeRunner(
    repeating run: @escaping ModelRun, _ info: ModelInfo
  ) throws(ModelError) -> (any ModelRunner)? {
    try (task as? any RepeatingTask.Type)?.makeRunner(repeating: run, info)
  }
}
