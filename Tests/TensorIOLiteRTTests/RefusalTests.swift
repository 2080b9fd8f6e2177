import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import Testing

@Suite struct RefusalTests {
  func refusal(of name: String) throws -> String {
    let model = try TinyModel(name: name).load()
    let error = try #require(throws: ModelError.self) {
      try model.makeSession(SessionOptions())
    }
    #expect(error.stage == .runtime)
    guard case .modelRejected(let problem) = error.reason else {
      Issue.record("\(error.reason) is no refusal")
      return ""
    }
    return problem
  }

  @Test func `an unknown operator is named when a session is made`() throws {
    let problem = try refusal(of: "unknown-operator")
    #expect(problem.contains("Encountered unresolved custom op: TensorIOUnknownOperator"))
    #expect(problem.contains("(LiteRtGetCompiledModelOutputTensorLayouts, status 3)"))
    #expect(problem.hasSuffix("; it uses the custom operator 'TensorIOUnknownOperator'"))
  }

  @Test func `a removed operator is refused when a session is made`() throws {
    let problem = try refusal(of: "removed-operator")
    #expect(problem.contains("LiteRtCreateCompiledModel, status"))
    #expect(problem.hasSuffix("; of its operators, ADD is of the highest version, 1000"))
  }

  @Test func `TensorFlow's operators are named with a way out`() throws {
    let problem = try refusal(of: "flex-operator")
    #expect(problem.contains("it needs TensorFlow's own operators (StringUpper): convert it"))
  }

  @Test func `an output whose length depends on values fails in the run, with a message`() throws {
    let session = try TinyModel(name: "dynamic-output").session()
    let error = try #require(throws: ModelError.self) { try session.invoke() }
    #expect(error.stage == .run)
    guard case .callFailed(let function, let status, let message) = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
    #expect(function == "LiteRtRunCompiledModel")
    #expect(status != 0)
    #expect(!message.isEmpty)
  }

  @Test func `a missing file is the bundle's fault`() throws {
    let file = ModelFile(path: "/nowhere/model.tflite", name: "model.tflite")
    let error = try #require(throws: ModelError.self) { try LiteRTBackend().model(at: file) }
    #expect(error.stage == .bundle)
    #expect(error.reason == .missingFile("model.tflite"))
    #expect(error.file == file.path)
  }

  @Test(arguments: ["/", "/dev/null", "/dev/zero"])
  func `what is no file is not read`(_ path: String) throws {
    let file = ModelFile(path: path, name: "model.tflite")
    let error = try #require(throws: ModelError.self) { try LiteRTBackend().model(at: file) }
    #expect(error.reason == .unreadableFile("model.tflite", detail: "it is not a file"))
  }

  @Test func `a name with a NUL in it is not cut short`() throws {
    let path = TinyModel(name: "scalar").path + "\0.zip"
    let file = ModelFile(path: path, name: "x")
    let error = try #require(throws: ModelError.self) { try LiteRTBackend().model(at: file) }
    #expect(error.reason == .unsafeName("x"))
  }

  @Test func `a file beyond the limit is not read`() throws {
    let path = NSTemporaryDirectory() + "tensorio-\(UUID()).tflite"
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let limit = 1_999_999_999
    try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: UInt64(limit + 1))
    let file = ModelFile(path: path, name: "x")
    let error = try #require(throws: ModelError.self) { try LiteRTBackend().model(at: file) }
    #expect(error.reason == .oversizedFile("x", bytes: limit + 1, limit: limit))
  }

  @Test(arguments: [[], [0], Array("GIF89a, or so it says".utf8), Array(repeating: 7, count: 5000)])
  func `bytes that are no model are refused`(_ bytes: [UInt8]) throws {
    let error = try #require(throws: ModelError.self) { try LiteRTBackend().model(bytes: bytes) }
    #expect(error.stage == .runtime)
    guard case .modelRejected = error.reason else {
      Issue.record("\(error.reason) is no refusal")
      return
    }
  }
}
