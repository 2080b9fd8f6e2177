import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import TensorIOTestSupport
import Testing

/// A model in `Tests/Fixtures/Models`.
struct TinyModel: CustomTestStringConvertible {
  let name: String

  static let folder = ProjectFiles.root.appending(path: "Tests/Fixtures/Models")

  static let all: [TinyModel] = {
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path())) ?? []
    return files.filter { $0.hasSuffix(".tflite") }.sorted()
      .map { TinyModel(name: String($0.dropLast(".tflite".count))) }
  }()

  var path: String { Self.folder.appending(path: "\(name).tflite").path() }
  var file: ModelFile { ModelFile(path: path, name: "\(name).tflite") }
  var testDescription: String { name }

  func bytes() throws -> [UInt8] { try [UInt8](Data(contentsOf: URL(filePath: path))) }
  func load() throws -> LiteRTModel { try LiteRTBackend().model(at: file) }
  func session(threads: Int = 1) throws -> any Session {
    try load().makeSession(SessionOptions(threads: threads))
  }
}
