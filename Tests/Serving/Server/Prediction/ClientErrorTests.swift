import TensorIOImage
import Testing

@testable import TensorIOBundle
@testable import TensorIOServer

@Suite struct ClientErrorTests {
  private static let path = "/home/user/secret.so"

  private static let reasons: [ModelError.Reason] = [
    .missingBundle, .notABundle(found: path), .missingFile(path),
    .unreadableFile(path, detail: path), .oversizedFile(path, bytes: 1, limit: 1),
    .invalidDescription([
      Diagnostic(.error, code: "x", path: path, expected: path, found: path, message: path)
    ]),
    .unsafeName(path), .invalidArchive(code: "x", detail: path), .missingFolder, .noBundles,
    .unknownBundle(path, known: [path]), .unsupported(path),
    .layerMismatch(what: path, first: [path], second: [path]),
    .unknownBackend(.tflite, known: []), .unknownClass(path, registered: [path]),
    .runtimeMissing(.init(backend: .tflite, searchResults: [path], recoverySuggestion: path)),
    .modelRejected(detail: path), .missingOperators([path]),
    .untrustedOperators([path], node: path), .image(ImageError(.unreadable(message: path))),
    .image(ImageError(.libraryMissing(path, message: path))),
    .image(ImageError(.unwritable(message: path))),
    .image(ImageError(.truncated, file: path)), .invalidValue(.init(path)),
    .invalidData([Diagnostic(.error, code: "x", path: path, message: path)]),
    .callFailed(function: path, status: 1, message: path), .unknownOutput(path, known: [path]),
    .failed(.init(path)), .lossNotFinite(step: 1, value: path), .unwritable(path, detail: path),
    .alreadyExists(path), .checkpointMismatch(what: path, expected: path, actual: path),
    .noCompleteCheckpoint(path, detail: path), .timedOut, .cancelled,
    .weightNames(missing: [path], unexpected: [path]),
    .workerMissing(searched: [path]), .workerNotLaunched(path, detail: path),
    .workerCrashed(detail: path),
    .suspended(crashes: 3, seconds: 60),
    .sandboxUnavailable(missing: [path]),
  ]

  @Test(arguments: reasons, ModelError.Stage.allCases)
  func `No message or code contains a path`(
    _ reason: ModelError.Reason, _ stage: ModelError.Stage
  ) {
    let error = ClientError(ModelError(stage, reason, layer: "x", file: Self.path))
    let text = "\(error.code) \(error.message)"
    #expect(!text.contains("secret") && !text.contains("/"))
    #expect(error.message.count > 10)
    #expect(!error.message.contains("\n"))
  }

  @Test(arguments: [
    ModelError.Reason.bundleChanged, .workerCrashed(detail: path), .timedOut,
    .suspended(crashes: 3, seconds: 60),
  ])
  func `A condition that passes asks the client to try again`(_ reason: ModelError.Reason) {
    let response = ClientError(ModelError(.bundle, reason)).response
    #expect(response.status == .serviceUnavailable)
    #expect(response.headers["Retry-After"] != nil)
  }

  @Test(arguments: [
    (ModelError.Reason.wrongCount(expected: 4, actual: 1), "input 'x': expected 4 values, got 1"),
    (
      .image(ImageError(.truncated, file: path)),
      "input 'x': \(ImageError(.truncated).description)"
    ),
  ])
  func `Errors in the client's own values are reported in full`(
    _ reason: ModelError.Reason, _ message: String
  ) {
    let error = ClientError(ModelError(.input, reason, layer: "x", file: Self.path))
    #expect(error.status == .unprocessableContent)
    #expect(error.message == message)
  }
}
