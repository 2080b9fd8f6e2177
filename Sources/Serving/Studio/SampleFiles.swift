import TensorIOBundle
import TensorIOImage
import TensorIOJSON
import TensorIOServer
import TensorIOSystem

/// The sample files of a bundle.
struct SampleFiles {
  private let model: String
  private let folder: BundleFolder?

  init(_ entry: ModelCatalog.Entry) {
    (model, folder) = (entry.name, entry.readableBundle?.sampleFolder)
  }

  /// The names of the samples, in order.
  ///
  /// Bundles are untrusted. Files that a browser could execute are left out.
  private var names: [String] {
    guard let folder = folder.map({ "\($0.root)/\(BundleFolder.samplesName)" }) else { return [] }
    return ((try? FileSystem.entryNames(in: folder)) ?? []).filter { name in
      !name.hasPrefix(".") && ContentType.isPassive(name) && path(of: name) != nil
    }
  }

  /// Returns the path of a sample; `nil` if it does not exist or is a link out of the bundle.
  private func path(of name: String) -> String? {
    guard let path = try? folder?.resolvedPath(of: "\(BundleFolder.samplesName)/\(name)"),
      FileKind(at: path) == .file
    else { return nil }
    return path
  }

  /// Writes the list of samples.
  func write(to writer: inout JSONWriter) {
    for name in names {
      let segments = ["models", model, "samples", name].map(PercentEncoding.encode)
      writer.object { writer in
        writer.member("name", name)
        writer.member("type", ContentType(fileName: name).value)
        writer.member("url", "/studio/api/" + segments.joined(separator: "/"))
      }
    }
  }

  /// Returns the response with a sample's bytes.
  func response(for name: String) throws(ClientError) -> HTTPResponse {
    guard names.contains(name), let path = path(of: name),
      let bytes = try? FileBytes.contents(of: path, limit: ImageLimits.maxFileBytes)
    else { throw .notFound("sample") }
    return HTTPResponse(type: ContentType(fileName: name).value, body: bytes)
  }
}
