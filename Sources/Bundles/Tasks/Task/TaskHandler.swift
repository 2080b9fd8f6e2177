package import TensorIOBundle
package import TensorIOCore

/// Everything that a task means: what a bundle declares, and how outputs become a result.
///
/// A task is a folder with a handler, and an entry in ``TaskRegistry/standard``. The parser of
/// `model.json`, the postprocessor and the drawing code know only this protocol and ``TaskResult``.
package protocol TaskHandler: Sendable {
  /// The settings and the required outputs of the task.
  static var format: TaskFormat { get }

  /// Returns what the task recognizes in a model without a bundle; `nil` if it is not a model of this
  /// task.
  static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess?

  /// Creates a handler for a model.
  ///
  /// - Throws: A ``ModelError`` if the model lacks the outputs of the task.
  init(_ source: OutputSource) throws(ModelError)

  /// Overrides settings of the bundle.
  mutating func apply(_ options: ResultOptions)

  /// The names of the outputs that the result replaces.
  var replacedOutputs: Set<String> { get }

  /// Whether the handler can follow the objects of a stream (``ResultOptions/tracking``).
  static var canTrack: Bool { get }

  /// Returns a smoother for the results of a stream; `nil` if neither the bundle nor the options ask for
  /// one.
  func makeSmoother() -> (any ResultSmoother)?

  /// Returns the result in a model's outputs.
  func result(of output: ModelOutput) throws(ModelError) -> TaskHandlerResult
}

extension TaskHandler {
  package static func guess(_ evidence: TaskGuess.Evidence) -> TaskGuess? { nil }

  package mutating func apply(_ options: ResultOptions) {}

  package var replacedOutputs: Set<String> { [] }

  package static var canTrack: Bool { false }

  package func makeSmoother() -> (any ResultSmoother)? { nil }
}

/// What a handler makes of a model's outputs.
package enum TaskHandlerResult: Sendable {
  /// The outputs themselves are the result.
  case outputs
  /// A result, and the names of outputs that belong to it in addition to the handler's
  /// ``TaskHandler/replacedOutputs``.
  case result(any TaskResult, replacing: Set<String> = [])
  /// A value, named `key`, that is shown in place of an output, and a result that is shown beside it.
  case value(key: String, LayerValue, replacing: String, result: (any TaskResult)? = nil)
}
