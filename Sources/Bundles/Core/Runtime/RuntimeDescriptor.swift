public import TensorIOBundle

/// A runtime that can run bundles: its name, the models that it takes, and how it is created.
///
/// The library and the command line know runtimes only by their descriptors. An application
/// registers the descriptor of its own runtime once:
///
/// ```swift
/// import TensorIO
///
/// func register(_ backend: some Backend) {
///   let runtime = RuntimeDescriptor(
///     ModelFormat(backend.identifier, files: [.file(extension: "doubler")]),
///     displayName: "Doubler"
///   ) { _ in backend }
///   RuntimeRegistry.shared.register(runtime)
/// }
/// ```
public struct RuntimeDescriptor: Sendable {
  /// The format of the models that the runtime takes.
  public let format: ModelFormat
  /// The name for display, such as `LiteRT`.
  public let displayName: String
  /// The shared library that the runtime opens on first use; `nil` if it needs none.
  package let library: RuntimeLibrarySpecification?
  /// The additional library for models on a GPU; `nil` if the runtime does not support GPUs.
  package let gpuLibrary: RuntimeLibrarySpecification?
  /// What worker processes need to run the runtime; `nil` if it runs only in this process.
  package let isolation: WorkerRequirements?
  /// Whether an installation without the runtime is incomplete.
  package let isRequired: Bool

  private let make: @Sendable (RuntimeSettings) -> any Backend

  /// Creates the descriptor of an application's runtime.
  ///
  /// - Parameters:
  ///   - format: The format of the models that the runtime takes.
  ///   - displayName: The name for display.
  ///   - makeBackend: Creates the runtime. It is called once for each use of different settings;
  ///     open libraries when the first model is loaded.
  public init(
    _ format: ModelFormat, displayName: String,
    makeBackend: @escaping @Sendable (RuntimeSettings) -> any Backend
  ) {
    self.init(
      format, displayName: displayName, library: nil, isolation: nil, makeBackend: makeBackend)
  }

  /// Creates the descriptor of a built-in runtime.
  package init(
    _ format: ModelFormat, displayName: String, library: RuntimeLibrarySpecification?,
    gpuLibrary: RuntimeLibrarySpecification? = nil,
    isolation: WorkerRequirements?, isRequired: Bool = false,
    makeBackend: @escaping @Sendable (RuntimeSettings) -> any Backend
  ) {
    self.format = format
    self.displayName = displayName
    self.library = library
    self.gpuLibrary = gpuLibrary
    self.isolation = isolation
    self.isRequired = isRequired
    make = makeBackend
  }

  /// All libraries of the runtime.
  package var libraries: [RuntimeLibrarySpecification] {
    [library, gpuLibrary].compactMap(\.self)
  }

  /// The identifier in `model.json`.
  public var identifier: BackendIdentifier { format.backend }

  /// Returns a new instance of the runtime.
  ///
  /// - Parameter settings: The settings of the runtime.
  /// - Returns: The runtime, whose library is not open yet.
  public func makeBackend(_ settings: RuntimeSettings = RuntimeSettings()) -> any Backend {
    make(settings)
  }
}

extension RuntimeDescriptor {
  /// Loads the runtime's library, and returns its location.
  ///
  /// - Parameter path: The path of the library; `nil` searches for it.
  /// - Returns: The location.
  /// - Throws: ``ModelError/runtimeMissing`` if no library can be opened, or
  ///   ``ModelError/unsupported`` if the runtime has none.
  package func locateLibrary(_ path: String? = nil) throws(ModelError) -> RuntimeLibraryCandidate {
    guard let backend = makeBackend(RuntimeSettings(library: path)) as? any LibraryBackend else {
      throw ModelError(.runtime, .unsupported("a library of \(displayName)"))
    }
    return try backend.locateLibrary()
  }
}

extension [RuntimeDescriptor] {
  /// Returns the runtime with an identifier.
  ///
  /// - Throws: ``ModelError/unknownBackend`` if there is none.
  package func runtime(_ identifier: BackendIdentifier) throws(ModelError) -> RuntimeDescriptor {
    guard let runtime = first(where: { $0.identifier == identifier }) else {
      throw ModelError(.runtime, .unknownBackend(identifier, known: map(\.identifier)))
    }
    return runtime
  }

  /// Returns the runtime for the model at a path: the first whose format has the extension or the
  /// marker, else the first that takes files, or folders; `nil` if there is none.
  package func runtime(forModelAt path: String, isFolder: Bool) -> RuntimeDescriptor? {
    if let match = first(where: { $0.format.matches(modelAt: path) }) { return match }
    return first { runtime in
      runtime.format.files.contains { kind in
        if case .folder = kind { isFolder } else { !isFolder }
      }
    }
  }
}
