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
  public var worker: String?
  /// How long a worker may take to answer, to load a model as well as to run it.
  public var timeLimit: Duration
  /// How many seconds of processor time one call may use, on all threads together; `nil` for any.
  public var processorSeconds: Int?
  /// How many bytes of addresses a worker may use; `nil` for what the runtime and the model's size ask for.
  public var memoryLimit: Int?
  /// Within which time a model that has ended ``deathLimit`` workers gets no more of them.
  public var deathWindow: Duration
  /// How many workers a model may end within ``deathWindow``.
  public var deathLimit: Int

  /// Isolation with limits that models hardly reach.
  public init(
    level: Level = .process, worker: String? = nil, timeLimit: Duration = .seconds(60),
    processorSeconds: Int? = nil, memoryLimit: Int? = nil, deathLimit: Int = 3,
    deathWindow: Duration = .seconds(60)
  ) {
    self.level = level
    self.worker = worker
    self.timeLimit = timeLimit
    self.processorSeconds = processorSeconds
    self.memoryLimit = memoryLimit
    self.deathLimit = deathLimit
    self.deathWindow = deathWindow
  }
}
