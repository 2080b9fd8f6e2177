public import TensorIOBundle
public import TensorIOImage
import TensorIOSystem

extension Model {
  /// How a model is opened and run.
  public struct Options: Sendable, Hashable {
    /// What the model is opened for; by default predictions, where the bundle is for them.
    public var mode: ModelMode?
    /// How many threads one run may use.
    ///
    /// By default as many as `TENSORIO_THREADS`, else `OMP_NUM_THREADS`, else the machine or its
    /// container allows.
    public var threads: Int
    /// How many runs may go on at the same time, each with memory of its own.
    public var sessions: Int
    /// How long a caller waits for a session before it gives up; `nil` waits as long as it takes.
    public var sessionTimeout: Duration?
    /// How pictures are fitted, in place of what the bundle says.
    public var fit: ImageFit?
    /// How pictures are resampled, in place of what the bundle says.
    public var filter: ImageFilter?
    /// Which way encoded pictures lie, in place of what their files say.
    public var orientation: ImageOrientation?
    /// How much of large encoded pictures is decoded.
    public var decodeScale: DecodeScale

    /// The given options, and defaults for the others.
    public init(
      threads: Int = ThreadCount.defaultCount, sessions: Int = 1, sessionTimeout: Duration? = nil,
      fit: ImageFit? = nil, filter: ImageFilter? = nil, orientation: ImageOrientation? = nil,
      decodeScale: DecodeScale = .double, mode: ModelMode? = nil
    ) {
      self.mode = mode
      self.threads = threads
      self.sessions = sessions
      self.sessionTimeout = sessionTimeout
      self.fit = fit
      self.filter = filter
      self.orientation = orientation
      self.decodeScale = decodeScale
    }
  }
}

extension Model.Options {
  /// How encoded pictures are decoded, whatever they are prepared as.
  var decodingOptions: DecodingOptions { DecodingOptions(orientation: orientation, decodeScale: decodeScale) }
}

extension ModelDescription {
  /// What holds of the description when a model is opened.
  package func effective(for options: Model.Options) -> ModelDescription {
    resolved(for: options.mode ?? defaultMode).overridden(by: options)
  }

  /// The description with what the caller wants otherwise.
  package func overridden(by options: Model.Options) -> ModelDescription {
    var description = self
    description.inputs = inputs.map { $0.overridden(by: options) }
    return description
  }

  /// Everything in which the description and a model differ in a mode, harmless or not.
  package func diagnostics(
    against signature: ModelSignature, in mode: ModelMode? = nil
  ) -> [Diagnostic] {
    let mode = mode ?? defaultMode
    return located(
      SignatureValidator(description: resolved(for: mode), signature: signature).diagnostics, in: mode)
  }

  /// Problems of the layers of a mode, told where the description lists those layers.
  func located(_ problems: [Diagnostic], in mode: ModelMode) -> [Diagnostic] {
    guard let own = modeOverrides[mode] else { return problems }
    let lists = [
      "inputs": own.inputs, "outputs": own.outputs, "placeholders": own.placeholders,
    ].compactMapValues(\.self)
    return problems.map { problem in
      guard let list = problem.path.split(separator: "/").first, lists[String(list)] != nil
      else { return problem }
      var problem = problem
      problem.path = "/\(mode.rawValue)" + problem.path
      return problem
    }
  }
}

extension ModelBundle {
  /// What is doubtful about the bundle, given the model of a mode; throws when the two do not fit.
  package func warnings(for model: any RuntimeModel, in mode: ModelMode) throws(ModelError) -> [Diagnostic] {
    let problems = withPositions(description.diagnostics(against: model.signature, in: mode))
    let errors = problems.filter { $0.severity == .error }
    guard errors.isEmpty else { throw ModelError(.bundle, .invalidDescription(errors)) }
    return warnings + withPositions(description.located(model.warnings, in: mode)) + problems
  }
}

extension Layer {
  fileprivate func overridden(by options: Model.Options) -> Layer {
    guard case .image(var image) = kind else { return self }
    image.fit = options.fit ?? image.fit
    image.filter = options.filter ?? image.filter
    return Layer(name: name, kind: .image(image))
  }
}

/// How many items are under way at the same time, and with how many threads each.
///
/// A few items get all threads one after the other, which is what answers soonest. Of many, each is
/// run by one thread, since threads that share a run wait for each other.
package struct Parallelism: Sendable, Equatable {
  /// The threads that read, decode and run items.
  package let itemThreads: Int
  /// How many of them may run the model at the same time.
  package let sessions: Int
  /// How many threads each of those runs has.
  package let threadsPerSession: Int

  /// More items than these are many.
  package static let maxSequentialItems = 8

  /// The split of a number of processors; the threads of a run are what the user says.
  package init(items: Int, threadsPerSession: Int?, processors: Int = ThreadCount.defaultCount) {
    guard items > Self.maxSequentialItems else {
      (itemThreads, sessions) = (1, 1)
      self.threadsPerSession = threadsPerSession ?? processors
      return
    }
    self.threadsPerSession = threadsPerSession ?? 1
    sessions = max(1, processors / self.threadsPerSession)
    itemThreads = max(sessions, processors)
  }
}

extension Model.Options {
  /// The options for items that are run as a split says.
  package func applying(_ parallelism: Parallelism) -> Model.Options {
    var options = self
    options.sessions = parallelism.sessions
    options.threads = parallelism.threadsPerSession
    return options
  }

  /// The same threads for one run after the other.
  package var singleSession: Model.Options {
    var options = self
    options.threads *= options.sessions
    options.sessions = 1
    return options
  }
}

/// How many threads a run uses when nobody says.
public enum ThreadCount {
  /// The most threads that a variable may ask for.
  static let maxCount = 1024

  /// `TENSORIO_THREADS`, else `OMP_NUM_THREADS`, else the processors that the machine, or the
  /// container that the process lives in, allows.
  public static let defaultCount: Int =
    value(ofVariable: "TENSORIO_THREADS") ?? value(ofVariable: "OMP_NUM_THREADS")
    ?? min(cgroupProcessorLimit() ?? .max, Platform.processorCount)

  private static func value(ofVariable variable: String) -> Int? {
    Platform.environment(variable).flatMap(parse)
  }

  /// A number of threads as a variable gives it.
  static func parse(_ text: String) -> Int? {
    guard let count = Int(text), (1...maxCount).contains(count) else { return nil }
    return count
  }

  /// The processors that the control group of the process may use, where it is limited.
  static func cgroupProcessorLimit(_ file: String = "/sys/fs/cgroup/cpu.max") -> Int? {
    guard let bytes = try? FileBytes.prefix(of: file, limit: 256) else { return nil }
    return processorLimit(cpuMax: String(decoding: bytes, as: UTF8.self))
  }

  /// The processors that a control group's `cpu.max` allows: quota over period, rounded up.
  static func processorLimit(cpuMax line: String) -> Int? {
    let words = line.split(whereSeparator: \.isWhitespace).map { Double($0) }
    guard words.count == 2, let quota = words[0], let period = words[1], quota > 0, period > 0
    else { return nil }
    return Int(exactly: (quota / period).rounded(.up)).map { max(1, $0) }
  }
}
