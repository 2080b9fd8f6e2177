import Synchronization
public import TensorIOBundle

/// The application's own runtimes, which every bundle may name as its backend.
///
/// A registered runtime takes precedence over a built-in one with its identifier. See
/// ``RuntimeDescriptor`` for an example.
public final class RuntimeRegistry: Sendable {
  /// The registry used by default.
  public static let shared = RuntimeRegistry()

  private struct Entry {
    let runtime: RuntimeDescriptor
    /// The runtime with default settings, shared by all models, so that it opens its library once.
    let backend: any Backend
  }

  private let entries = Mutex<[Entry]>([])

  /// Creates an empty registry.
  public init() {}

  /// The registered runtimes, in the order of their registration.
  public var runtimes: [RuntimeDescriptor] { entries.withLock { $0.map(\.runtime) } }

  /// The identifiers of the registered runtimes.
  public var identifiers: [BackendIdentifier] { runtimes.map(\.identifier) }

  /// The registered runtimes with default settings.
  package var backends: [any Backend] { entries.withLock { $0.map(\.backend) } }

  /// Registers a runtime, replacing any runtime with its identifier.
  ///
  /// - Parameter runtime: The descriptor of the runtime.
  public func register(_ runtime: RuntimeDescriptor) {
    let entry = Entry(runtime: runtime, backend: runtime.makeBackend())
    entries.withLock { entries in
      entries.removeAll { $0.runtime.identifier == runtime.identifier }
      entries.append(entry)
    }
  }
}
