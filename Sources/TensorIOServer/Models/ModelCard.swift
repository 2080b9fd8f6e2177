internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOImage

/// What somebody needs to know who wants to ask a model.
struct ModelCard {
  private let name: String
  private let bundle: ModelBundle

  init(_ name: String, _ bundle: ModelBundle) {
    (self.name, self.bundle) = (name, bundle)
  }

  /// Writes the card as members of an object.
  func write(to writer: inout JSONWriter) {
    let description = bundle.description.inMode(bundle.description.firstMode)
    writer.member("name", name)
    writer.member("id", bundle.id)
    writer.member("title", bundle.name)
    writer.member("details", bundle.details)
    writer.member("version", bundle.version)
    writer.member("author", bundle.author)
    writer.member("license", bundle.license)
    writer.member("backend", bundle.backend.rawValue)
    writer.optional("task", bundle.task) { $0.value($1) }
    writer.optional("card", bundle.card) { $0.value($1) }
    for (name, layers) in [
      ("inputs", description.askedInputs), ("placeholders", description.placeholders),
      ("outputs", description.outputs),
    ] {
      writer.member(
        name,
        array: { writer in
          for layer in layers { writer.object { write(layer, to: &$0) } }
        })
    }
  }

  private func write(_ layer: Layer, to writer: inout JSONWriter) {
    writer.declaration(of: layer)
    if case .image(let image) = layer.kind { writer.member("format", image.format.rawValue) }
    if let role = layer.role { writer.member("role", role.rawValue) }
    if let labels = try? bundle.labels(for: layer), !labels.isEmpty {
      writer.member("labels", labels.count)
    }
  }
}
