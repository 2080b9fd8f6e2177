import TensorIOBundle
import TensorIOCore
import TensorIODrawing
import TensorIOEvaluation
import TensorIOImage
import TensorIOJSON
import TensorIOServer
import TensorIOSystem

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The routes for a model's description, samples, datasets and preprocessed inputs, and for its removal.
struct StudioModelRoutes: Sendable {
  let studio: Studio

  var routes: [Route] {
    [
      .studio(.get, "/models/:name/description") { (request) throws(ClientError) in
        let text = try entry(request).descriptionBytes()
        return HTTPResponse(type: "application/json", body: text)
      },
      .studio(.get, "/models/:name/card") { (request) throws(ClientError) in
        let bundle = try bundle(request)
        return .json { writer in
          writer.object { ModelCard(bundle).write(to: &$0) }
        }
      },
      .studio(.get, "/models/:name/text-inputs") { (request) throws(ClientError) in
        try textInputs(request)
      },
      .studio(.get, "/models/:name/labels") { (request) throws(ClientError) in
        let labels = try bundle(request).outputLabels
        return .json { writer in writer.array { for label in labels { $0.value(label) } } }
      },
      .studio(.get, "/models/:name/samples") { (request) throws(ClientError) in
        let entry = try entry(request)
        return .json { writer in writer.array { SampleFiles(entry).write(to: &$0) } }
      },
      .studio(.get, "/models/:name/samples/:file") { (request) throws(ClientError) in
        try SampleFiles(entry(request)).response(for: request.pathParameter("file"))
      },
      .studio(.get, "/models/:name/datasets") { (request) throws(ClientError) in
        try datasets(request)
      },
      .studio(.delete, "/models/:name") { (request) throws(ClientError) in
        try studio.remove(entry(request))
        return .noContent
      },
      .studio(.post, "/models/:name/preprocess") { (request) throws(ClientError) in
        try preprocess(request)
      },
    ]
  }

  private func entry(_ request: HTTPRequest) throws(ClientError) -> ModelCatalog.Entry {
    try studio.entry(named: request.pathParameter("name"))
  }

  /// Returns the bundle of a model; opens a chain, whose bundle is not known before.
  private func bundle(_ request: HTTPRequest) throws(ClientError) -> ModelBundle {
    let entry = try entry(request)
    if let bundle = entry.readableBundle { return bundle }
    return try open(entry).bundle
  }

  private func open(_ entry: ModelCatalog.Entry) throws(ClientError) -> Model {
    do throws(ModelError) {
      return try studio.catalog.model(named: entry.name).model
    } catch {
      throw ClientError(error, entry.redactor)
    }
  }

  /// Returns the names of the inputs whose tensors hold strings, which only the open model knows.
  private func textInputs(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let names = try open(entry(request)).textInputs.sorted()
    return .json { writer in writer.array { for name in names { $0.value(name) } } }
  }

  /// Returns the datasets of the studio, each with the reason why the model cannot be evaluated on it.
  private func datasets(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let (entry, bundle) = (try entry(request), try bundle(request))
    return .json { writer in
      writer.array {
        for dataset in studio.datasets {
          let reason = dataset.misfit(of: bundle, entry.redactor, opening: studio.host)
          $0.object { writer in
            dataset.writeMembers(to: &writer)
            writer.member("error", orNull: reason)
          }
        }
      }
    }
  }

  private func preprocess(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let entry = try entry(request)
    let model = try open(entry)
    let cost = model.decodingCost(of: .value(.bytes(request.body)))
    let reservation = try studio.reserveMemory(for: cost, request)
    defer { withExtendedLifetime(reservation) {} }
    do throws(ModelError) {
      return try PreprocessedInputs(request.body, of: model).response
    } catch {
      throw ClientError(error, entry.redactor)
    }
  }
}

extension ModelBundle {
  /// The labels of the first output that has some.
  fileprivate var outputLabels: [String] {
    let outputs = description.resolved(for: description.defaultMode).outputs
    return outputs.lazy.compactMap { try? labels(for: $0) }.first { !$0.isEmpty } ?? []
  }
}

extension Studio {
  /// Reserves memory for decoding the image of a request; throws if the image is too large.
  func reserveMemory(
    for cost: ImageDecodingCost, _ request: HTTPRequest
  ) throws(ClientError) -> MemoryReservation? {
    try limits.checkPixels(cost)
    return try limits.reserveMemory(for: cost, until: request.context.deadline)
  }
}

extension Studio {
  /// Returns the model with the given name.
  func entry(named name: String) throws(ClientError) -> ModelCatalog.Entry {
    guard let entry = catalog.entries.first(where: { $0.name == name }) else {
      throw .notFound("model")
    }
    return entry
  }
}

extension ModelCatalog.Entry {
  /// Returns the bytes of the description file.
  fileprivate func descriptionBytes() throws(ClientError) -> [UInt8] {
    do throws(ModelError) {
      guard let readableBundle else {
        let name = ModelBundle.isChain(path) ? BundleFolder.chainName : BundleFolder.descriptionName
        return try FileBytes.read("\(path)/\(name)", limit: JSONLimits.maxDescriptionBytes)
      }
      if let composition = readableBundle.composition { return composition.description }
      return try FileBytes.read(
        readableBundle.path(ofFile: BundleFolder.descriptionName),
        limit: JSONLimits.maxDescriptionBytes)
    } catch {
      throw .notFound("description")
    }
  }
}

/// The Markdown texts of a bundle as markup for the page.
struct ModelCard {
  private static let renderer = MarkdownRenderer(topHeading: 2, links: .inert)

  private let bundle: ModelBundle

  init(_ bundle: ModelBundle) { self.bundle = bundle }

  /// Writes the details of the description and the model card.
  func write(to writer: inout JSONWriter) {
    writer.key("details")
    writer.value(Self.renderer.markup(MarkdownDocument.spans(bundle.details)))
    writer.memberOrNull("card", bundle.modelCard.map(MarkdownDocument.init)) {
      $0.value(Self.renderer.markup($1))
    }
  }
}

/// The preprocessed images of a model's input, encoded for the page.
struct PreprocessedInputs {
  private let inputs: [Input]

  fileprivate struct Input {
    let image: PreprocessedImage
    let png: String
    let channels: [(name: String, png: String)]
  }

  init(_ imageFile: [UInt8], of model: Model) throws(ModelError) {
    let images = try model.preprocessedImages(for: .value(.bytes(imageFile)))
    do throws(ImageError) {
      var inputs: [Input] = []
      for image in images { inputs.append(try Input(image)) }
      self.inputs = inputs
    } catch {
      throw ModelError(.input, .image(error))
    }
  }

  var response: HTTPResponse {
    .jsonObject { writer in
      writer.member("inputs", objects: inputs) { $1.write(to: &$0) }
    }
  }
}

extension PreprocessedInputs.Input {
  fileprivate init(_ image: PreprocessedImage) throws(ImageError) {
    self.image = image
    png = try image.image().base64PNG
    var channels: [(name: String, png: String)] = []
    for (index, name) in image.channelNames.enumerated() {
      channels.append((name, try image.image(ofChannel: index).base64PNG))
    }
    self.channels = channels
  }

  fileprivate func write(to writer: inout JSONWriter) {
    let values = image.channels.joined()
    writer.member("name", image.layer.name)
    writer.member("width", image.imageLayer.width)
    writer.member("height", image.imageLayer.height)
    writer.key("range")
    writer.numbers([values.min() ?? .nan, values.max() ?? .nan])
    writer.member("image", png)
    writer.member("channels", objects: channels) { writer, channel in
      writer.member("name", channel.name)
      writer.member("image", channel.png)
    }
    writer.member("transform", object: { image.writeMembers(to: &$0) })
  }
}

extension ImageBuffer {
  fileprivate var base64PNG: String {
    get throws(ImageError) { Data(try encoded(as: .png)).base64EncodedString() }
  }
}

/// The routes that import a zipped bundle, and draft one for a model without a description.
struct StudioImportRoutes: Sendable {
  let studio: Studio

  /// The maximum size of an archive, in bytes.
  private static let maxArchiveBytes = 512 << 20

  var routes: [Route] {
    [
      .studio(.post, "/import", maxBodyBytes: Self.maxArchiveBytes) {
        (request) throws(ClientError) in
        try importBundle(request)
      },
      .studio(.post, "/draft", maxBodyBytes: Self.maxArchiveBytes) {
        (request) throws(ClientError) in
        guard let name = request.target["name"], !request.body.isEmpty else {
          throw .badRequest("'name' must be the name of a model file, which is the body")
        }
        return try studio.host.draftBundle(of: request.body, named: name).response
      },
    ]
  }

  private func importBundle(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    guard !request.body.isEmpty else { throw .badRequest("the body must be a zipped bundle") }
    let name = request.target["name"].flatMap { $0.isEmpty ? nil : $0 }
    return response(
      for: try studio.add(
        request.body, named: name, isReplacing: request.target["replace"] == "1"))
  }

  private func response(for model: ImportedModel) -> HTTPResponse {
    .jsonObject(.created) { studio.writeMembers(of: model, to: &$0) }
  }
}

extension Studio {
  /// Imports a zipped bundle into the user's library, and adds it to the models.
  func add(
    _ zip: [UInt8], named name: String?, isReplacing: Bool
  ) throws(ClientError) -> ImportedModel {
    let model = try host.importBundle(
      zip, name: name, isReplacing: isReplacing,
      reservedNames: reservedNames(isReplacing: isReplacing))
    register(model)
    return model
  }

  /// Removes a model from the user's library and from the models; its requests that are running complete.
  func remove(_ entry: ModelCatalog.Entry) throws(ClientError) {
    try host.removeBundle(at: entry.path)
    catalog.remove(named: entry.name)
    if settings.current.defaultModel == entry.name { settings.current.defaultModel = nil }
  }

  /// Writes the members of a model's entry.
  func writeMembers(of entry: ModelCatalog.Entry, to writer: inout JSONWriter) {
    guard let status = catalog.statuses.first(where: { $0.entry.name == entry.name }) else {
      return
    }
    writeMembers(of: status, to: &writer)
  }
}
