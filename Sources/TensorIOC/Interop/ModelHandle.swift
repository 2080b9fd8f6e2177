import TensorIO
import TensorIOBundle
import TensorIOCommand
import TensorIOCore
import TensorIOJSON
import TensorIOTasks

/// A model that C code owns.
@safe final class ModelHandle: Sendable {
  let model: Model
  let postprocessor: TaskPostprocessor
  /// The bundle that was drafted for a bare model.
  private let draft: DraftedBundle?
  let description: CString

  convenience init(_ path: String, _ options: ModelOptions) throws(ModelError) {
    let opening = options.openingOptions
    let draft = try DraftedBundle(for: path, libraries: options.libraries)
    let bundle = draft?.path ?? LibraryName.path(for: path)
    try self.init(
      Chain.hasChainExtension(path)
        ? Chain(at: path, options: opening).makeModel()
        : Model(bundleAt: bundle, options: opening), draft)
  }

  init(_ model: Model, _ draft: DraftedBundle? = nil) throws(ModelError) {
    self.model = model
    self.draft = draft
    postprocessor = try TaskPostprocessor(model)
    description = CString(Self.description(model, draft?.notes ?? []))
  }

  /// Returns the description of a model as JSON.
  private static func description(_ model: Model, _ guesses: [String]) -> String {
    let bundle = model.bundle
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("id", bundle.id)
      writer.member("name", bundle.name)
      writer.member("version", bundle.version)
      writer.member("details", bundle.details)
      writer.member("author", bundle.author)
      writer.member("license", bundle.license)
      writer.member("backend", bundle.backend.rawValue)
      writer.memberOrNull("task", bundle.description.task?.type ?? bundle.description.type) {
        $0.value($1)
      }
      for (name, layers) in [
        ("inputs", model.callerInputs), ("placeholders", model.placeholders),
        ("outputs", model.outputs),
      ] {
        writer.member(
          name,
          array: { writer in
            for layer in layers { writer.object { write(layer, bundle, to: &$0) } }
          })
      }
      writer.member("has_state", !model.state.isEmpty || model.hasRuntimeState)
      writer.member("supports_batching", model.supportsBatching)
      writer.strings("warnings", model.warnings.filter { !$0.isNonstandard }.map { "\($0)" })
      writer.strings("guesses", guesses)
    }
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  static func write(_ layer: Layer, _ bundle: ModelBundle, to writer: inout JSONWriter) {
    writer.layerMembers(of: layer)
    if case .image(let image) = layer.kind { writer.member("format", image.format.rawValue) }
    if let role = layer.role { writer.member("role", role.rawValue) }
    if case .array(let numeric) = layer.kind, !numeric.featureNames.isEmpty {
      writer.strings("features", numeric.featureNames)
    }
    if let labels = try? bundle.labels(for: layer), !labels.isEmpty {
      writer.strings("labels", labels)
    }
  }
}
