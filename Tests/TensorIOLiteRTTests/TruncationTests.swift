import Foundation
import TensorIOCore
import TensorIOLiteRT
import Testing

/// A model that was cut short is an error, or gives the answer of the whole.
@Suite struct TruncationTests {
  let backend = LiteRTBackend()

  func answer(_ bytes: [UInt8]) throws -> [[UInt8]] {
    let model = try backend.model(bytes: bytes)
    return try model.makeSession(SessionOptions()).patternRun(model.signature)
  }

  func check(_ bytes: [UInt8]) {
    let whole = try? answer(bytes)
    for count in bytes.indices {
      do {
        let cut = try answer(Array(bytes[..<count]))
        #expect(cut == whole, "cut to \(count) bytes, it runs and gives something else")
      } catch {
        #expect(error is ModelError)
      }
    }
  }

  @Test(arguments: TinyModel.all)
  func `our own models, cut at every byte`(_ model: TinyModel) throws {
    try check(model.bytes())
  }

  @Test func `the original library's models, cut at every byte`() throws {
    let shared = SharedFixtures.folder.appending(path: "original/tflite")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: shared.path())) ?? []
    let models = names.sorted().map { shared.appending(path: "\($0)/model.tflite") }
      .filter { FileManager.default.fileExists(atPath: $0.path()) }
    print("truncations of the original library's models: \(models.count) models")
    for model in models {
      check([UInt8](try Data(contentsOf: model)))
    }
  }
}

/// The cases that are shared between projects and not part of this one.
enum SharedFixtures {
  static let folder: URL = {
    let shared =
      ProcessInfo.processInfo.environment["TENSORIO_SHARED"].map { URL(filePath: $0) }
      ?? TinyModel.folder.appending(path: "../../../../shared").standardizedFileURL
    return shared.appending(path: "fixtures")
  }()
}
