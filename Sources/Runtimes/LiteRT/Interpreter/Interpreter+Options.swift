import TensorIOBundle
import TensorIOSystem

extension Interpreter {
  /// Options of an interpreter.
  ///
  /// Options are equal if their values are; ``errorHandler`` is not compared.
  public struct Options: Sendable {
    /// The maximum number of threads per run; `nil` means 1.
    public var threadCount: Int?
    /// Whether XNNPACK's kernels are used.
    ///
    /// LiteRT always uses them, so that the value has no effect.
    public var isXNNPackEnabled = false
    /// Whether error messages of the runtime are passed to ``errorHandler``.
    ///
    /// Errors are thrown in either case.
    public var isErrorLoggingEnabled = false
    /// The function that receives error messages; prints to standard error by default.
    public var errorHandler: @Sendable (_ message: String) -> Void = StandardError.print
    /// The path of the LiteRT library; `nil` searches the default locations.
    public var library: String?

    /// Creates the default options.
    public init() {}

    var resolvedThreadCount: Int { threadCount ?? 1 }
  }
}

extension Interpreter.Options: Hashable {
  /// Returns whether two options have the same values, whatever their error handlers are.
  public static func == (left: Self, right: Self) -> Bool {
    left.threadCount == right.threadCount && left.isXNNPackEnabled == right.isXNNPackEnabled
      && left.isErrorLoggingEnabled == right.isErrorLoggingEnabled && left.library == right.library
  }

  /// Hashes the values, without the error handler.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(threadCount)
    hasher.combine(isXNNPackEnabled)
    hasher.combine(isErrorLoggingEnabled)
    hasher.combine(library)
  }
}

/// The options of an interpreter, under their name in older versions of TensorFlow Lite.
public typealias InterpreterOptions = Interpreter.Options

/// Calls `body` and converts its error to an ``InterpreterError``, logging it if enabled.
func mappingErrors<Result>(
  _ options: Interpreter.Options?, _ makeError: (String) -> InterpreterError,
  _ body: () throws(ModelError) -> Result
) throws(InterpreterError) -> Result {
  do {
    return try body()
  } catch {
    let message = String(describing: error)
    if let options, options.isErrorLoggingEnabled { options.errorHandler(message) }
    throw makeError(message)
  }
}
