import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import TensorIOTestSupport
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
    let models = SharedFixtures.entries(of: "original/tflite").map { "\($0)/model.tflite" }
      .filter { FileManager.default.fileExists(atPath: $0) }
    SharedFixtures.report("truncations", models.count)
    for model in models {
      check([UInt8](try Data(contentsOf: URL(filePath: model))))
    }
  }
}
