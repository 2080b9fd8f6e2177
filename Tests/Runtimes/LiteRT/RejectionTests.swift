import Foundation
import TensorIOBundle
import TensorIOCore
import Testing

@testable import TensorIOLiteRT

@Suite struct RejectionTests {
  func rejection(of name: String) throws -> String {
    let error = try #require(throws: ModelError.self) {
      try TinyModel(name: name).load().makeSession(SessionOptions())
    }
    #expect(error.stage == .runtime)
    guard let detail = error.text("detail"), error.code == "model-rejected" else {
      Issue.record("unexpected reason: \(error.reason)")
      return ""
    }
    return detail
  }

  @Test func `An unknown operator is named with a remedy when a model is loaded`() throws {
    let detail = try rejection(of: "unknown-operator")
    #expect(
      detail.contains("the custom operator 'TensorIOUnknownOperator', which is not available"))
    #expect(detail.contains("register a CustomOperator of this name"))
  }

  @Test func `A removed operator is reported when a session is created`() throws {
    let detail = try rejection(of: "removed-operator")
    #expect(detail.contains("LiteRtCreateCompiledModel, status"))
    #expect(detail.hasSuffix("; its newest operator is ADD, version 1000"))
  }

  @Test func `TensorFlow operators are named with a remedy when a model is loaded`() throws {
    let detail = try rejection(of: "flex-operator")
    #expect(detail.contains("it uses TensorFlow operators (StringUpper): convert it without them"))
    let hint = OperatorUsage.unavailableOperatorsHint(["FlexBroadcastGradientArgs"])
    #expect(hint?.contains("for a fixed number of items") == true)
  }

  @Test func `An output whose shape depends on values is rejected when a model is loaded`() throws {
    let error = try #require(throws: ModelError.self) {
      try TinyModel(name: "dynamic-output").load()
    }
    #expect(
      error.reason
        == .modelRejected(
          detail: "the size of the output 'y' is known only after the operator WHERE has run, which"
            + " LiteRT does not support; convert the model with fixed shapes"))
  }

  @Test func `A missing file is an error at the stage bundle`() throws {
    let file = ModelFile(path: "/nowhere/model.tflite", name: "model.tflite")
    let error = try #require(throws: ModelError.self) { try LiteRTBackend().model(at: file) }
    #expect(error.stage == .bundle)
    #expect(error.reason == .missingFile("model.tflite"))
    #expect(error.file == file.path)
  }

  @Test(arguments: ["/", "/dev/null", "/dev/zero"])
  func `Only regular files are read`(_ path: String) throws {
    let file = ModelFile(path: path, name: "model.tflite")
    let error = try #require(throws: ModelError.self) { try LiteRTBackend().model(at: file) }
    #expect(error.reason == .unreadableFile("model.tflite", detail: "not a regular file"))
  }

  @Test func `A path with a NUL character is rejected`() throws {
    let path = TinyModel(name: "scalar").path + "\0.zip"
    let file = ModelFile(path: path, name: "x")
    let error = try #require(throws: ModelError.self) { try LiteRTBackend().model(at: file) }
    #expect(error.reason == .unsafeName("x"))
  }

  @Test func `A file beyond the limit is not read`() throws {
    let path = NSTemporaryDirectory() + "tensorio-\(UUID()).tflite"
    defer { try? FileManager.default.removeItem(atPath: path) }
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let limit = 1_999_999_999
    try FileHandle(forWritingTo: URL(filePath: path)).truncate(atOffset: UInt64(limit + 1))
    let file = ModelFile(path: path, name: "x")
    let error = try #require(throws: ModelError.self) { try LiteRTBackend().model(at: file) }
    #expect(error.reason == .oversizedFile("x", bytes: limit + 1, limit: limit))
  }

  @Test(arguments: [
    [], [0], Array("GIF89a, but not an image".utf8), Array(repeating: 7, count: 5000),
  ])
  func `Bytes that are not a model are rejected`(_ bytes: [UInt8]) throws {
    let error = try #require(throws: ModelError.self) { try LiteRTBackend().model(bytes: bytes) }
    #expect(error.stage == .runtime)
    guard case ModelError.modelRejected = error else {
      Issue.record("unexpected reason: \(error.reason)")
      return
    }
  }
}
