import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import TensorIOTestSupport
import Testing

/// The installation of runtimes by an application.
@Suite struct RuntimesTests {
  @Test func `A runtime that is there is not installed again`() throws {
    let path = try Runtimes.install(.tflite) { Issue.record("\($0)") }
    #expect(path.hasSuffix("/libLiteRt.so"))
    #expect(FileManager.default.fileExists(atPath: path))
  }

  @Test func `An installation does not block a task`() async throws {
    let path = try await Runtimes.install(.tflite)
    #expect(path.hasSuffix("/libLiteRt.so"))
  }

  @Test func `A runtime that TensorIO does not contain cannot be installed`() throws {
    let error = try #require(throws: ModelError.self) {
      try Runtimes.install(BackendIdentifier(rawValue: "litret"))
    }
    #expect(error.code == "unknown-backend" && error.description.contains("tflite"))
  }
}
