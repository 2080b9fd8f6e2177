public import TensorIOBundle

/// What a ``Session`` can do besides running: a function for each ability that it has.
///
/// The library calls only functions that are there. A session without abilities returns
/// `SessionAbilities()`; one whose runs can be ended early returns:
///
/// ```swift
/// import TensorIO
///
/// func abilities(cancelling cancel: @escaping @Sendable (Bool) -> Void) -> SessionAbilities {
///   var abilities = SessionAbilities()
///   abilities.setCancelled = cancel
///   return abilities
/// }
/// ```
public struct SessionAbilities: Sendable {
  /// Discards the inputs that were filled since the last ``Session/invoke()``.
  ///
  /// The session pool calls it when a run fails, so that no later run uses values of that run. A
  /// session without placeholders does not need it, because every run fills all inputs.
  public var discardInputs: (@Sendable () -> Void)?

  /// Sets whether the session's runs end as soon as possible, with an error.
  ///
  /// It is called from another thread than the other functions, also while ``Session/invoke()`` runs;
  /// the session pool calls it with `false` before the next run. Without it, a run that has started is
  /// completed, whatever the time limit and the task that waits for it.
  public var setCancelled: (@Sendable (_ isCancelled: Bool) -> Void)?

  /// Sets the values that the session keeps from run to run, such as the state of a recurrent layer,
  /// to their initial values; `nil` if it keeps none.
  ///
  /// The session pool calls it before each run, and a ``ModelStream`` when a sequence begins.
  public var resetState: (@Sendable () throws(ModelError) -> Void)?

  /// Returns the operators of the last run in order, with their times; `nil` unless the runtime
  /// records operators and ``SessionOptions/profilesOperators`` is set.
  public var operatorEvents: (@Sendable () throws(ModelError) -> [OperatorEvent])?

  /// Performs one training step with the inputs that have been filled; `nil` unless the model was
  /// loaded for ``ModelMode/train``.
  ///
  /// The parameter says which outputs ``Session/read(_:_:)`` returns afterward, if any.
  public var train: (@Sendable (StepOutputTiming) throws(ModelError) -> Void)?

  /// Creates abilities with none.
  public init() {}
}
