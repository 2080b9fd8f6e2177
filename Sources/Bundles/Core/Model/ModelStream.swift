import Synchronization
public import TensorIOBundle
import TensorIOSystem

/// A sequence of runs in which a model keeps its state from item to item.
///
/// ```swift
/// import TensorIO
///
/// let stream = try Model(at: "gestures.tiobundle").stream()
/// for path in ["frame-1.jpg", "frame-2.jpg"] {
///   print(try stream.run(ImageBuffer(contentsOf: path)).classes.first?.label ?? "none")
/// }
/// ```
///
/// The state consists of the outputs that the bundle declares as `state`, of variables in the runtime,
/// such as those of an LSTM, and of features of sound that windows have in common. Each stream has its own. Threads and tasks that share a stream run
/// one item after another. If the model has no state, runs are those of ``Model``, which can overlap.
///
/// A run that fails leaves the declared state unchanged. Variables in the runtime may have changed;
/// ``reset()`` begins a new sequence.
public final class ModelStream: Sendable {
  /// The model that is run.
  public let model: Model

  private struct Progress {
    var state: [String: LayerValue] = [:]
    /// What is kept of the features of sound.
    var features = AudioFeatureExtractor.State()
    /// Whether the next run is the first one of a sequence.
    var isAtStart = true
  }

  private let progress = Mutex(Progress())
  /// A pool of the one session that keeps the state of the runtime.
  private let session = LazyResource<SessionPool>()
  /// Held during a run of an application's own model, which has no sessions.
  private let turn = Mutex(())

  init(_ model: Model) {
    self.model = model
  }

  /// The declared state for the next run, by input; empty before the first run.
  public var state: [String: LayerValue] { progress.withLock(\.state) }

  /// Runs the model on the next item, on the calling thread.
  ///
  /// - Parameters:
  ///   - input: Any value that converts to an input.
  ///   - placeholders: Values by placeholder name.
  /// - Returns: The outputs, by name and in order.
  /// - Throws: A ``ModelError`` if a value does not fit the model or the run fails.
  public func run(
    _ input: some ModelInputConvertible, placeholders: Placeholders = [:]
  ) throws(ModelError) -> ModelOutput {
    var untimed = Stopwatch.disabled
    return try run(input.modelInput, placeholders, &untimed)
  }

  /// Runs the model on the next item, on the calling thread, and measures how long each stage takes.
  ///
  /// - Parameters:
  ///   - input: Any value that converts to an input.
  ///   - placeholders: Values by placeholder name.
  ///   - timings: The measured durations, also set if the run throws.
  /// - Returns: The outputs, by name and in order.
  /// - Throws: A ``ModelError`` if a value does not fit the model or the run fails.
  public func run(
    _ input: some ModelInputConvertible, placeholders: Placeholders = [:],
    timings: inout Timings
  ) throws(ModelError) -> ModelOutput {
    var stopwatch = Stopwatch.running()
    defer { timings = stopwatch.timings }
    return try run(input.modelInput, placeholders, &stopwatch)
  }

  /// Runs the model on the next item on a background thread, and suspends until its outputs are
  /// available.
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let stream = try Model(at: "gestures.tiobundle").stream()
  /// let output = try await stream.submit(ImageBuffer(contentsOf: "frame-1.jpg"))
  /// ```
  ///
  /// - Parameters:
  ///   - input: Any value that converts to an input.
  ///   - placeholders: Values by placeholder name.
  /// - Returns: The outputs, by name and in order.
  /// - Throws: A ``ModelError`` if a value does not fit the model, the run fails, or the task is
  ///   canceled, as with ``Model/submit(_:placeholders:)-(ModelInput,_)``.
  public func submit(
    _ input: some ModelInputConvertible, placeholders: Placeholders = [:]
  ) async throws(ModelError) -> ModelOutput {
    let input = input.modelInput
    guard model.carriesState || model.sharesFeatures else {
      return try await model.submit(input, placeholders: placeholders)
    }
    guard let pool = try sessionPool() else {
      return try await BackgroundThread.run { () throws(ModelError) in
        try self.run(input, placeholders: placeholders)
      }
    }
    return try await pool.submit { (session) throws(ModelError) in
      var untimed = Stopwatch.disabled
      return try self.run(input, placeholders, in: session, &untimed)
    }
  }

  /// Begins a new sequence: the next run has the initial state.
  public func reset() { progress.withLock { $0 = Progress() } }
}

extension ModelStream {
  private func run(
    _ input: ModelInput, _ placeholders: Placeholders, _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> ModelOutput {
    guard model.carriesState || model.sharesFeatures else {
      return try model.run(input, placeholders, &stopwatch)
    }
    guard let pool = try sessionPool() else {
      return try turn.withLock { (_) throws(ModelError) in
        try run(input, placeholders, in: nil, &stopwatch)
      }
    }
    return try pool.withSession { (session) throws(ModelError) in
      try run(input, placeholders, in: session, &stopwatch)
    }
  }

  /// Returns the pool, which is created for the first run; `nil` for an application's own model.
  private func sessionPool() throws(ModelError) -> SessionPool? {
    guard let pipeline = model.pipeline else { return nil }
    return try session.getOrOpen { () throws(ModelError) in try pipeline.sessions.makeStreamPool() }
  }

  /// Runs the next item; one caller at a time has the session, or the turn.
  private func run(
    _ input: ModelInput, _ placeholders: Placeholders, in session: (any Session)?,
    _ stopwatch: inout Stopwatch
  ) throws(ModelError) -> ModelOutput {
    let before = progress.withLock { progress in
      defer { progress.isAtStart = false }
      return progress
    }
    if before.isAtStart { try resetState(of: session) }
    let input =
      model.state.isEmpty
      ? input : try input.withNames(model.callerInputs.map(\.name)).withDefaults(before.state)
    var features = before.features
    let output =
      if let session, let pipeline = model.pipeline {
        try pipeline.run(input, placeholders, in: session, &features, &stopwatch).from(model.info)
      } else {
        try model.run(input, placeholders, &stopwatch)
      }
    var state: [String: LayerValue] = [:]
    for link in model.state { state[link.input] = try output[link.output] }
    progress.withLock { progress in
      // A reset during the run has begun another sequence.
      if !progress.isAtStart { (progress.state, progress.features) = (state, features) }
    }
    return output
  }

  private func resetState(of session: (any Session)?) throws(ModelError) {
    do throws(ModelError) {
      try session?.abilities.resetState?()
    } catch {
      reset()
      throw error
    }
  }
}

extension Model {
  /// Returns a stream, which keeps the model's state from run to run.
  ///
  /// The stream takes a session for itself at its first run, so that it does not delay other runs.
  public func stream() -> ModelStream { ModelStream(self) }
}
