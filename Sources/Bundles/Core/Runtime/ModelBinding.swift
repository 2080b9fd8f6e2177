public import TensorIOBundle
import TensorIOSystem

extension ModelBundle {
  /// Loads the bundle's model for a mode.
  ///
  /// - Throws: The error of the backend. Diagnostics that concern `model.json` get their location
  ///   in it.
  package func load(
    for mode: ModelMode, threads: Int = ThreadCount.defaultCount, sessions: Int = 1,
    on backend: any Backend
  ) throws(ModelError) -> any RuntimeModel {
    let use = ModelBinding(description, mode: mode, threads: threads, sessions: sessions)
    let file = try modelFile(for: mode)
    do throws(ModelError) {
      return try ForkGuard.preventingForks { () throws(ModelError) in
        try backend.load(file, for: use)
      }
    } catch {
      guard let diagnostics = error.diagnostics(of: ModelError.invalidDescription) else {
        throw error
      }
      throw ModelError(
        error.stage,
        .invalidDescription(withPositions(description.located(diagnostics, in: mode))),
        layer: error.layer, file: path)
    }
  }
}

/// What a model is loaded for: the mode, and the layers to bind to its tensors.
public struct ModelBinding: Sendable, Hashable {
  /// The mode that the model is loaded for.
  public let mode: ModelMode
  /// The name of the signature of the file that is run; `nil` for the one whose tensors have the names of the layers.
  public let signature: String?
  /// The inputs, in order.
  public let inputs: [Layer]
  /// The optional inputs, in order.
  public let placeholders: [Layer]
  /// The outputs, in order.
  public let outputs: [Layer]
  /// The outputs that are inputs of the next step, which have no layers.
  package let caches: [CacheLink]
  /// The operations of one training step; empty in other modes.
  public let operations: [String]
  /// The number of threads of all runs, for runtimes that have to know it when the model is loaded.
  public let threads: Int
  /// The number of sessions that share the threads.
  package let sessions: Int

  /// Creates the binding of a description's layers in a mode.
  package init(
    _ description: ModelDescription, mode: ModelMode, threads: Int = ThreadCount.defaultCount,
    sessions: Int = 1
  ) {
    let description = description.resolved(for: mode)
    self.mode = mode
    (self.threads, self.sessions) = (threads, max(1, sessions))
    signature = mode == .predict ? description.modelSignature : nil
    inputs = description.inputs
    placeholders = description.placeholders
    outputs = description.outputs
    caches = description.caches
    operations = mode == .train ? description.trainingOperations : []
  }
}

extension ModelBinding {
  /// The number of threads of one run.
  package var threadsPerSession: Int { max(1, threads / sessions) }

  /// The number of threads of a pool that all sessions share if each run also computes on the thread that calls it.
  ///
  /// With more of them, the threads of several runs would take the processors from each other.
  package var poolThreads: Int { max(1, threads - sessions + 1) }

  /// Returns the error for a model that does not have the signature of the binding.
  ///
  /// - Parameters:
  ///   - name: The name of the signature in the description.
  ///   - names: The names of the model's signatures.
  /// - Returns: An error with a diagnostic.
  package static func unknownSignature(_ name: String, among names: [String]) -> ModelError {
    ModelError(
      .bundle,
      .invalidDescription([
        Diagnostic(
          .error, .unknownTensor, path: "/signature", expected: "the name of a signature",
          found: name, message: "the model has no signature '\(name)'",
          suggestion: Spelling.closestMatch(to: name, among: names).map { "did you mean '\($0)'?" }
            ?? (names.isEmpty
              ? "remove \"signature\"" : "signatures: \(names.joined(separator: ", "))"))
      ]))
  }
}
