internal import TensorIOCore

extension Interpreter {
  /// How an interpreter works.
  public struct Options: Sendable {
    /// How many threads one run may use; one, unless said otherwise.
    public var threadCount: Int?
    /// Whether the runtime's own words on a failure go to ``errorHandler``.
    ///
    /// Errors are thrown either way.
    public var isErrorLoggingEnabled = false
    /// Where they go: to standard error, unless said otherwise.
    public var errorHandler: @Sendable (_ message: String) -> Void = StandardError.print
    /// The library to use instead of the one that a search finds.
    public var library: String?

    /// The usual options.
    public init() {}

    var threads: Int { threadCount ?? 1 }
  }
}

/// The options of an interpreter, by their older name.
public typealias InterpreterOptions = Interpreter.Options

/// Does something with the runtime, and turns its failure into one of the interpreter's.
func reporting<Result>(
  _ options: Interpreter.Options?, _ failure: (String) -> InterpreterError,
  _ body: () throws(ModelError) -> Result
) throws(InterpreterError) -> Result {
  do {
    return try body()
  } catch {
    let message = String(describing: error)
    if let options, options.isErrorLoggingEnabled { options.errorHandler(message) }
    throw failure(message)
  }
}
