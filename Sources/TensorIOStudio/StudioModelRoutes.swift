import TensorIOBundle
import TensorIOCore
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

/// What a model's bundle holds, and what the model sees.
struct StudioModelRoutes: Sendable {
  let studio: Studio

  var routes: [Route] {
    [
      .studio(.get, "/models/:name/description") { (request) throws(StudioError) in
        let text = try entry(request).descriptionBytes()
        return HTTPResponse(type: "application/json", body: text)
      },
      .studio(.get, "/models/:name/samples") { (request) throws(StudioError) in
        let entry = try entry(request)
        return .json { writer in writer.array { SampleFiles(entry).write(to: &$0) } }
      },
      .studio(.get, "/models/:name/samples/:file") { (request) throws(StudioError) in
        try SampleFiles(entry(request)).response(for: request.pathParameter("file"))
      },
      .studio(.post, "/models/:name/seen") { (request) throws(StudioError) in
        try preprocess(request)
      },
    ]
  }

  private func entry(_ request: HTTPRequest) throws(StudioError) -> ModelCatalog.Entry {
    try studio.entry(named: request.pathParameter("name"))
  }

  private func preprocess(_ request: HTTPRequest) throws(StudioError) -> HTTPResponse {
    let entry = try entry(request)
    do throws(ModelError) {
      let model = try studio.catalog.model(named: entry.name).model
      return try PreprocessedInputs(request.body, of: model).response
    } catch {
      throw StudioError(error, entry.redactor)
    }
  }
}

extension Studio {
  /// What a name stands for.
  func entry(named name: String) throws(StudioError) -> ModelCatalog.Entry {
    guard let entry = catalog.entries.first(where: { $0.name == name }) else {
      throw .notFound("model")
    }
    return entry
  }
}

extension ModelCatalog.Entry {
  /// The text of the description, as it is.
  fileprivate func descriptionBytes() throws(StudioError) -> [UInt8] {
    do throws(ModelError) {
      if let readableBundle {
        return try FileBytes.read(
          readableBundle.path(ofFile: "model.json"), limit: JSONLimits.maxDescriptionBytes)
      }
      let name = bundle == nil ? "chain.json" : "model.json"
      return try FileBytes.read("\(path)/\(name)", limit: JSONLimits.maxDescriptionBytes)
    } catch {
      throw .notFound("description")
    }
  }
}

/// The samples that lie in a bundle, as files.
struct SampleFiles {
  private static let folder = "samples"

  private let model: String
  private let bundle: ModelBundle?

  init(_ entry: ModelCatalog.Entry) { (model, bundle) = (entry.name, entry.readableBundle) }

  /// The names of those that a browser can show, in order.
  ///
  /// A bundle may come from anywhere, so that nothing of it is ever taken for a part of the page.
  private var names: [String] {
    guard let folder = bundle.map({ "\($0.folderPath)/\(Self.folder)" }) else { return [] }
    return ((try? FileSystem.entryNames(in: folder)) ?? []).filter { name in
      !name.hasPrefix(".") && ContentType.isPassive(name) && path(of: name) != nil
    }
  }

  /// Where a sample lies; `nil` where there is none, or a link that leads out of the bundle.
  private func path(of name: String) -> String? {
    guard let path = try? bundle?.path(ofFile: "\(Self.folder)/\(name)"),
      FileKind(at: path) == .file
    else { return nil }
    return path
  }

  /// Writes all samples.
  func write(to writer: inout JSONWriter) {
    for name in names {
      let words = ["models", model, Self.folder, name].map(PercentEncoding.encode)
      writer.object { writer in
        writer.member("name", name)
        writer.member("type", ContentType(fileName: name).value)
        writer.member("url", "/studio/api/" + words.joined(separator: "/"))
      }
    }
  }

  /// The bytes of a sample.
  func response(for name: String) throws(StudioError) -> HTTPResponse {
    guard names.contains(name), let path = path(of: name),
      let bytes = try? FileBytes.contents(of: path, limit: ImageLimits.maxFileBytes)
    else { throw .notFound("sample") }
    return HTTPResponse(type: ContentType(fileName: name).value, body: bytes)
  }
}

/// What a model sees of a picture, ready to be shown.
struct PreprocessedInputs {
  private let inputs: [Input]

  fileprivate struct Input {
    let image: PreprocessedImage
    let png: String
    let channels: [(name: String, picture: String)]
  }

  init(_ picture: [UInt8], of model: Model) throws(ModelError) {
    let seen = try model.preprocessedImages(for: .value(.bytes(picture)))
    do throws(ImageError) {
      var inputs: [Input] = []
      for seen in seen { inputs.append(try Input(seen)) }
      self.inputs = inputs
    } catch {
      throw ModelError(.input, .image(error))
    }
  }

  var response: HTTPResponse {
    .json { writer in
      writer.object { writer in
        writer.member(
          "inputs",
          array: { writer in for input in inputs { writer.object { input.write(to: &$0) } } })
      }
    }
  }
}

extension PreprocessedInputs.Input {
  fileprivate init(_ seen: PreprocessedImage) throws(ImageError) {
    self.image = seen
    png = try seen.image().base64
    var channels: [(name: String, picture: String)] = []
    for (index, name) in seen.channelNames.enumerated() {
      channels.append((name, try seen.image(ofChannel: index).base64))
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
    writer.member("picture", png)
    writer.member(
      "channels",
      array: { writer in
        for channel in channels {
          writer.object { writer in
            writer.member("name", channel.name)
            writer.member("picture", channel.picture)
          }
        }
      })
    writer.member("transform", object: { image.writeMembers(to: &$0) })
  }
}

extension ImageBuffer {
  fileprivate var base64: String {
    get throws(ImageError) { Data(try encoded(as: .png)).base64EncodedString() }
  }
}

/// Takes in a bundle that a person drops on the page.
struct StudioImportRoutes: Sendable {
  let studio: Studio

  /// The most bytes that a zip may have.
  private static let maxArchiveBytes = 512 << 20

  var routes: [Route] {
    [
      .studio(.post, "/import", maxBodyBytes: Self.maxArchiveBytes) { (request) throws(StudioError) in
        try importBundle(request)
      }
    ]
  }

  private func importBundle(_ request: HTTPRequest) throws(StudioError) -> HTTPResponse {
    guard !request.body.isEmpty else { throw .badRequest("the body is the zip of a bundle") }
    let isReplacing = request.target["replace"] == "1"
    let name = request.target["name"].flatMap { $0.isEmpty ? nil : $0 }
    let taken = isReplacing ? [] : Set(studio.catalog.entries.map(\.name))
    let model = try studio.host.importBundle(
      request.body, name: name, isReplacing: isReplacing, reservedNames: taken)
    for name in model.replacedNames { studio.catalog.remove(named: name) }
    studio.catalog.add(model.entry)
    return response(for: model)
  }

  private func response(for model: ImportedModel) -> HTTPResponse {
    let snapshot = studio.catalog.statuses.first { $0.entry.name == model.entry.name }
    return .json(.created) { writer in
      writer.object { writer in
        writer.member("model", object: { snapshot?.writeMembers(to: &$0) })
        writer.member("problems", array: { writer in model.diagnostics.forEach { writer.value($0) } })
      }
    }
  }
}
