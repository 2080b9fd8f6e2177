import TensorIOBundle
import TensorIOJSON

/// Which models of a catalog can be used.
package struct ModelReadiness: Sendable, Equatable {
  /// The models with a version that is open.
  package var ready: [String] = []
  /// The models that are opened on their first request.
  package var unloaded: [String] = []
  /// The models that are being opened.
  package var loading: [String] = []
  /// The models, or versions of models that are ready otherwise, that cannot be opened.
  package var failed: [String] = []
  /// Whether some of the models that are being opened are those of the start.
  package var isStarting = false
  /// Whether a server without models is ready, because they are added by request.
  package var mayBeEmpty = false
  /// The labels whose version is not served.
  package var missingLabels: [ModelSelector] = []

  /// Creates the readiness of a catalog without models.
  package init() {}

  /// Whether the models of the start have been opened, and one model can be used.
  ///
  /// A model that is added later does not change this: it has its own readiness.
  package var isReady: Bool {
    !isStarting && (!ready.isEmpty || !unloaded.isEmpty || mayBeEmpty && failed.isEmpty)
  }

  /// Writes the members of an object.
  func write(to writer: inout JSONWriter) {
    writer.member("models_ready", ready.count)
    if !loading.isEmpty { writer.strings("loading", loading) }
    if !failed.isEmpty { writer.strings("failed", failed) }
    if !missingLabels.isEmpty {
      writer.strings("missing_labels", missingLabels.map { "\($0.name) \($0.label ?? "")" })
    }
  }
}
