import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOServer
import TensorIOSystem
import TensorIOTasks
import TensorIOTeaching

/// The route that teaches a model classes of the user, and adds the new bundle to the library.
struct StudioTeachingRoutes: Sendable {
  let studio: Studio

  /// The maximum size of all examples of a request, in bytes.
  private static let maxBodyBytes = 256 << 20

  var routes: [Route] {
    [
      .studio(.post, "/models/:name/teach", maxBodyBytes: Self.maxBodyBytes) {
        (request) throws(ClientError) in try teach(request)
      }
    ]
  }

  /// An example in a request.
  private struct Example {
    let label: String
    let input: ModelInput
  }

  private func teach(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    let entry = try studio.entry(named: request.pathParameter("name"))
    let body = try request.jsonObject()
    guard let name = body["name"]?.string, !name.isEmpty else {
      throw .badRequest("'name' must be the name of the new model")
    }
    let (options, examples) = (try Self.options(body), try Self.examples(body))
    let model = try Self.rethrowing(entry) { () throws(ModelError) in
      try studio.catalog.model(named: entry.name).model
    }
    var teacher = try Self.rethrowing(entry) { () throws(ModelError) in
      try Teacher(model, options)
    }
    for (index, example) in examples.enumerated() {
      let cost = model.decodingCost(of: example.input)
      let reservation = try studio.reserveMemory(for: cost, request)
      teacher.addOrSkip(example.input, as: example.label, named: "\(example.label) \(index + 1)")
      withExtendedLifetime(reservation) {}
    }
    let (report, zip) = try Self.rethrowing(entry) { [teacher] () throws(ModelError) in
      let taught = try teacher.fit()
      return (taught.report, try Self.archive(taught, named: name))
    }
    let imported = try studio.add(zip, named: name, isReplacing: body["replace"]?.bool ?? false)
    return .jsonObject(.created) { writer in
      writer.member("model") { studio.writeMembers(of: imported.entry, to: &$0) }
      writer.member("report") { report.write(to: &$0) }
    }
  }

  private static func rethrowing<Value>(
    _ entry: ModelCatalog.Entry, _ body: () throws(ModelError) -> Value
  ) throws(ClientError) -> Value {
    do throws(ModelError) {
      return try body()
    } catch {
      throw ClientError(error, entry.redactor)
    }
  }

  /// Returns the zip of a bundle with taught classes.
  private static func archive(
    _ taught: TaughtModel, named name: String
  ) throws(ModelError) -> [UInt8] {
    let folder: TemporaryDirectory
    do throws(FileError) {
      folder = try TemporaryDirectory(prefix: "tensorio-teach")
    } catch {
      throw ModelError(.run, .unwritable("a temporary folder", detail: error.message))
    }
    defer { folder.remove() }
    // The name is checked when the bundle is imported; it is no path here.
    let stem = name.replacing("/", with: "-")
    let (bundle, zip) = ("\(folder.path)/\(stem).tiobundle", "\(folder.path)/taught.zip")
    try taught.export(to: bundle)
    try ModelBundle(at: bundle, trust: .unrestricted, reader: .standard).pack(to: zip)
    return try FileBytes.read(zip, limit: maxBodyBytes, .any, stage: .run)
  }

  private static func options(_ body: JSONNode) throws(ClientError) -> Teacher.Options {
    var options = Teacher.Options()
    if let value = body["unknown_rate"] {
      guard let rate = value.double, (0..<1).contains(rate) else {
        throw .badRequest("'unknown_rate' must be a number from 0 to less than 1")
      }
      options.unknownRate = rate == 0 ? nil : rate
    }
    return options
  }

  /// Returns the examples: objects with a label, and an image or sound in Base64, or a text.
  private static func examples(_ body: JSONNode) throws(ClientError) -> [Example] {
    guard let elements = body["examples"]?.elements else {
      throw .badRequest("'examples' must be an array of objects")
    }
    var examples: [Example] = []
    for element in elements {
      guard let label = element["label"]?.string else {
        throw .badRequest("each example must have a 'label'")
      }
      if let text = element["text"]?.string {
        examples.append(Example(label: label, input: .value(.strings([text]))))
      } else if let bytes = element["data"]?.string.flatMap({ [UInt8](base64: $0) }) {
        examples.append(Example(label: label, input: .value(.bytes(bytes))))
      } else {
        throw .badRequest("each example must have 'data' in Base64, or a 'text'")
      }
    }
    return examples
  }
}
