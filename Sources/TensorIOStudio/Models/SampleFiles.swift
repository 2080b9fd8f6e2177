internal import TensorIOCore
internal import TensorIOImage
internal import TensorIOServer
internal import TensorIOSystem

/// The samples that lie in a bundle, as files.
struct SampleFiles {
  private static let folder = "samples"

  private let model: String
  private let bundle: ModelBundle?

  init(_ entry: ModelCatalogue.Entry) { (model, bundle) = (entry.name, entry.openBundle) }

  /// The names of those that a browser can show, in order.
  ///
  /// A bundle may come from anywhere, so that nothing of it is ever taken for a part of the page.
  private var names: [String] {
    guard let folder = bundle.map({ "\($0.folderPath)/\(Self.folder)" }) else { return [] }
    return ((try? Folder.names(in: folder)) ?? []).filter { name in
      !name.hasPrefix(".") && FileType.isInert(name) && path(of: name) != nil
    }
  }

  /// Where a sample lies; `nil` where there is none, or a link that leads out of the bundle.
  private func path(of name: String) -> String? {
    guard let path = try? bundle?.file(named: "\(Self.folder)/\(name)"),
      FileKind(at: path) == .file
    else { return nil }
    return path
  }

  /// Writes all samples.
  func write(to writer: inout JSONWriter) {
    for name in names {
      let words = ["models", model, Self.folder, name].map(WebPath.encoded)
      writer.object { writer in
        writer.member("name", name)
        writer.member("type", FileType(fileName: name).name)
        writer.member("url", "/studio/api/" + words.joined(separator: "/"))
      }
    }
  }

  /// The bytes of a sample.
  func answer(_ name: String) throws(StudioRefusal) -> HTTPResponse {
    guard names.contains(name), let path = path(of: name),
      let bytes = try? FileBytes.contents(of: path, limit: ImageLimits.fileBytes)
    else { throw .unknown("sample") }
    return HTTPResponse(type: FileType(fileName: name).name, body: bytes)
  }
}
