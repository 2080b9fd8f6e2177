/// How models run in processes of their own, which they cannot leave and may crash.
///
/// A model is a program that a runtime executes, and runtimes die of some that are damaged. In a worker
/// a crash, a run without end and a hunger for memory are errors of one call; the next gets a new worker.
///
///     let backends = Backends(isolation: Isolation())
///     let model = try Model(ModelBundle(at: "mobilenet.tiobundle"), backends: backends)
public struct Isolation: Sendable, Hashable {
  /// How much a worker is kept from.
  public enum Level: String, Sendable, Hashable, CaseIterable {
    /// A process with limits: what goes wrong in it stays there. It may do what you may.
    case process
    /// A process that can neither open files nor connect to anything besides.
    case sandbox
  }

  /// How much a worker is kept from.
  public var level: Level
  /// Where the worker's program is; `nil` looks for it in `TENSORIO_WORKER`, then near the running program.
  public var workerPath: String?
  /// How long a worker may take to answer, to load a model as well as to run it.
  public var timeout: Duration
  /// How many seconds of processor time one call may use, on all threads together; `nil` for any.
  public var maxCPUSeconds: Int?
  /// How many bytes of addresses a worker may use; `nil` for what the runtime and the model's size ask for.
  public var memoryLimit: Int?
  /// Within which time a model that has ended ``deathLimit`` workers gets no more of them.
  public var crashWindow: Duration
  /// How many workers a model may end within ``deathWindow``.
  public var maxCrashes: Int

  /// Isolation with limits that models hardly reach.
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
