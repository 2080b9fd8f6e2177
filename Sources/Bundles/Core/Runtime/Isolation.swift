/// Settings for running models in separate worker processes.
///
/// A model is a program that a runtime executes, and some corrupt models crash the runtime. If the
/// model runs in a worker process, a crash, an endless run or excessive memory use only makes one
/// call throw an error; the next call launches a new worker process.
///
///     let options = OpeningOptions(isolation: .sandbox)
///     let model = try Model(at: "mobilenet.tiobundle", options: options)
public struct Isolation: Sendable, Hashable {
  /// How strictly a worker process is restricted.
  public enum Level: String, Sendable, Hashable, CaseIterable {
    /// A separate process with resource limits, which runs with the user's privileges.
    case process
    /// A process that can neither open files nor make network connections.
    case sandbox
  }

  /// A worker process with resource limits, and the default settings.
  public static let process = Isolation()
  /// A worker process that can neither open files nor make network connections, and the default settings.
  public static let sandbox = Isolation(level: .sandbox)

  /// How strictly worker processes are restricted.
  public var level: Level
  /// The path of the worker executable; `nil` uses `TENSORIO_WORKER`, otherwise searches next to
  /// the running program.
  public var workerPath: String?
  /// How long loading a model, running it once, or one step of writing a text may take.
  public var timeout: Duration
  /// The processor time of one call in seconds, summed over all threads; `nil` for no limit.
  public var maxCPUSeconds: Int?
  /// The size of a worker's address space in bytes; `nil` derives a limit from the runtime and the
  /// model's size.
  public var memoryLimit: Int?
  /// The period in which crashes are counted.
  ///
  /// While ``maxCrashes`` or more occurred within the last `crashWindow`, the model is suspended.
  public var crashWindow: Duration
  /// How many worker processes of a model may crash within ``crashWindow`` before it is suspended.
  public var maxCrashes: Int

  /// Creates settings, with limits that models rarely reach.
  public init(
    level: Level = .process, workerPath: String? = nil, timeout: Duration = .seconds(60),
    maxCPUSeconds: Int? = nil, memoryLimit: Int? = nil, maxCrashes: Int = 3,
    crashWindow: Duration = .seconds(60)
  ) {
    self.level = level
    self.workerPath = workerPath
    self.timeout = timeout
    self.maxCPUSeconds = maxCPUSeconds
    self.memoryLimit = memoryLimit
    self.maxCrashes = maxCrashes
    self.crashWindow = crashWindow
  }
}
