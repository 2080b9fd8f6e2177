import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import TensorIOTestSupport
import Testing

/// A truncated model is rejected, or has the outputs of the complete model.
@Suite(.ownThreads) struct TruncationTests {
  let backend = LiteRTBackend()

  func outputs(_ bytes: [UInt8]) throws -> [[UInt8]] {
    let model = try backend.model(bytes: bytes)
    return try model.makeSession(SessionOptions()).patternRun(model.signature)
  }

  func check(_ bytes: [UInt8]) {
    let expected = try? outputs(bytes)
    for count in bytes.indices {
      do {
        let truncated = try outputs(Array(bytes[..<count]))
        #expect(truncated == expected, "truncated to \(count) bytes, the outputs differ")
      } catch {
        #expect(error is ModelError)
      }
    }
  }

  @Test(arguments: TinyModel.all)
  func `The test models, truncated at every byte`(_ model: TinyModel) throws {
    try check(model.bytes())
  }

  @Test func `The models of the original library, truncated at every byte`() throws {
    let models = SharedFixtures.entries(of: "original/tflite").map { "\($0)/model.tflite" }
      .filter { FileManager.default.fileExists(atPath: $0) }
    CaseCount.report("truncations", project: TinyModel.all.count, shared: models.count)
    for model in models {
      check([UInt8](try Data(contentsOf: URL(filePath: model))))
    }
  }
}
