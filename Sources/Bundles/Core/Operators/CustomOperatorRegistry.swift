import Synchronization

/// The application's own operators, which `.tflite` models may use by their names.
///
/// A registered operator takes precedence over a built-in one with its name. See ``CustomOperator``
/// for an example. The operators run in the application's process; worker processes contain only the
/// built-in ones.
public final class CustomOperatorRegistry: Sendable {
  /// The registry used by default.
  public static let shared = CustomOperatorRegistry()

  private let operators = Mutex<[String: any CustomOperator.Type]>([:])

  /// Creates an empty registry.
  public init() {}

  /// The names of the registered operators, sorted.
  public var names: [String] { operators.withLock { $0.keys.sorted() } }

  /// Registers an operator, replacing any operator with its name.
  ///
  /// Models that are open keep the operators they were opened with.
  ///
  /// - Parameter type: The type of the operator.
  public func register(_ type: any CustomOperator.Type) {
    operators.withLock { $0[type.name] = type }
  }

  /// The registered operators by name.
  package var registered: [String: any CustomOperator.Type] { operators.withLock { $0 } }
}
