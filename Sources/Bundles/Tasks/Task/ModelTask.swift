public import TensorIOBundle
public import TensorIOCore

/// What the outputs of a model mean, and everything that follows from it.
///
/// A task is a folder with the value that programs get and the task itself, and a name in
/// ``TaskRegistry/standard``. Nothing else knows it: the parser of `model.json`, `init`, the command line, the server,
/// evaluation, streams, drawing, C and Python ask the task. Only the format, the initializer and the result have to be
/// written.
///
/// ```swift
/// import TensorIO
///
/// struct Reading: ModelTask {
///   static let minimumScore = TaskSetting.number("min_score", default: 0.5, "The minimum score of a line.")
///   static let format = TaskFormat("reading", outputs: [.scores], settings: minimumScore)
///
///   private let scores: String
///   private let minimumScore: Float
///
///   init(_ model: ModelInfo) throws(ModelError) {
///     scores = try model.output(.scores)
///     minimumScore = model[Self.minimumScore]
///   }
///
///   func result(of output: ModelOutput) throws(ModelError) -> [Float] {
///     let scores: [Float] = try output.value(of: self.scores)
///     return scores.filter { $0 >= minimumScore }
///   }
/// }
/// ```
///
/// The result of a run is `try output.result(of: Reading.self)`. A result that is a ``TaskResult`` is also printed, sent
/// and drawn in place of the outputs that it was decoded from.
public protocol ModelTask: Sendable {
  /// What programs get.
  associatedtype Result: Sendable

  /// The names, the settings and the required outputs of the task.
  static var format: TaskFormat { get }

  /// Returns what the task recognizes in a model without a bundle; `nil` if it is not a model of this
  /// task.
  static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess?

  /// Returns the paths of other models that a model without a bundle needs, by the names of their functions.
  ///
  /// - Parameters:
  ///   - model: The path of the model.
  ///   - signature: The tensors of the model.
  /// - Returns: The paths; empty for a model that needs no others.
  static func functions(of model: String, _ signature: ModelSignature) -> [String: String]

  /// Returns the forms in which results can be read, in order of preference: those of the data that evaluate the task, and of
  /// the steps of chains that use it. Empty for a task whose outputs are evaluated as labels or numbers.
  static func forms(for description: ModelDescription) -> [ResultForm]

  /// Creates the task of a model.
  ///
  /// - Throws: A ``ModelError`` if the model lacks the outputs of the task.
  init(_ model: ModelInfo) throws(ModelError)

  /// Returns the result in a model's outputs.
  func result(of output: ModelOutput) throws(ModelError) -> Result

  /// Returns what is printed, sent and drawn of a model's outputs.
  func presentation(of output: ModelOutput) throws(ModelError) -> TaskPresentation

  /// Overrides settings of the bundle.
  mutating func apply(_ options: ResultOptions)

  /// The names of the outputs that the result replaces.
  var replacedOutputs: Set<String> { get }

  /// The name of the result and a column without entries, which has the types of all results; `nil` if the results
  /// are the outputs, or their types depend on them.
  ///
  /// Tables of results, such as those of Arrow and Spark, have a column of these types before there is a result:
  /// `.init("lines", Lines.column(of: []))`.
  var resultColumn: ResultColumn.Member? { get }

  /// Returns how results are read in a form; `nil` if they have another one.
  func reading(as form: ResultForm) -> ResultReading?

  /// Whether the task can follow the objects of a stream (``ResultOptions/tracking``).
  static var canTrack: Bool { get }

  /// Returns a smoother for the results of a stream; `nil` if neither the bundle nor the options ask for
  /// one.
  func makeSmoother() -> (any ResultSmoother)?
}

extension ModelTask {
  /// Recognizes no model.
  public static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? { nil }

  /// No other models.
  public static func functions(
    of model: String, _ signature: ModelSignature
  ) -> [String: String] { [:] }

  /// No forms: outputs are evaluated as labels or numbers.
  public static func forms(for description: ModelDescription) -> [ResultForm] { [] }

  /// Overrides no settings.
  public mutating func apply(_ options: ResultOptions) {}

  /// No outputs.
  public var replacedOutputs: Set<String> { [] }

  /// No column: tables have the JSON of the results.
  public var resultColumn: ResultColumn.Member? { nil }

  /// No reading.
  public func reading(as form: ResultForm) -> ResultReading? { nil }

  /// The task does not follow objects.
  public static var canTrack: Bool { false }

  /// No smoother.
  public func makeSmoother() -> (any ResultSmoother)? { nil }

  /// The outputs themselves.
  public func presentation(of output: ModelOutput) throws(ModelError) -> TaskPresentation {
    .outputs
  }
}

extension ModelTask where Result: TaskResult {
  /// The result, in place of the outputs that it replaces.
  public func presentation(of output: ModelOutput) throws(ModelError) -> TaskPresentation {
    .result(try result(of: output), replacing: replacedOutputs)
  }
}

extension ModelTask {
  /// The name of the result, unless the task has another one.
  package static var resultName: String { format.interface?.name ?? format.names[0] }

  /// Creates the task of a model.
  package init(_ model: Model) throws(ModelError) { try self.init(model.info) }
}
