import TensorIOCore
import TensorIOImage
import Testing

@testable import TensorIOServer

@Suite struct PublicFailureTests {
  private static let path = "/home/somebody/secret.so"

  private static let reasons: [ModelError.Reason] = [
    .missingBundle, .notABundle(found: path), .missingFile(path),
    .unreadableFile(path, problem: path), .oversizedFile(path, bytes: 1, limit: 1),
    .invalidDescription([
      Problem(.error, code: "x", path: path, expected: path, found: path, message: path)
    ]),
    .unsafeName(path), .invalidArchive(code: "x", problem: path), .missingFolder, .noBundles,
    .unknownBundle(path, known: [path]), .unsupported(path),
    .layersDiffer(what: path, first: [path], second: [path]),
    .unknownBackend(.tflite, known: []), .unknownClass(path, registered: [path]),
    .runtimeMissing(.init(backend: .tflite, findings: [path], fix: path)),
    .modelRefused(problem: path), .missingOperators([path]),
    .untrustedOperators([path], node: path), .picture(ImageError(.unreadable(problem: path))),
    .picture(ImageError(.libraryMissing(path, problem: path))),
    .picture(ImageError(.unwritable(problem: path))),
    .picture(ImageError(.truncated, file: path)), .unreadableValue(path),
    .invalidData([Problem(.error, code: "x", path: path, message: path)]),
    .callFailed(function: path, status: 1, message: path), .unknownOutput(path, known: [path]),
    .failed(path), .lossNotFinite(step: 1, value: path), .unwritable(path, problem: path),
    .alreadyThere(path), .checkpointDiffers(what: path, expected: path, actual: path),
    .noWholeCheckpoint(path, problem: path), .timedOut, .cancelled,
    .workerMissing(looked: [path]), .workerLost(how: path), .putAside(deaths: 3, seconds: 60),
    .notSandboxed(missing: [path]),
  ]

  @Test(arguments: reasons, ModelError.Stage.allCases)
  func `no path comes through`(_ reason: ModelError.Reason, _ stage: ModelError.Stage) {
    let failure = PublicFailure(ModelError(stage, reason, layer: "x", file: Self.path))
    let text = "\(failure.code) \(failure.message)"
    #expect(!text.contains("secret") && !text.contains("/"))
    #expect(failure.message.count > 10)
    #expect(!failure.message.contains("\n"))
  }

  @Test(arguments: [
    (ModelError.Reason.wrongCount(expected: 4, actual: 1), "input 'x': expected 4 values, got 1"),
    (
      .picture(ImageError(.truncated, file: path)),
      "input 'x': \(ImageError(.truncated).description)"
    ),
  ])
  func `what is wrong with the client's own values is told`(
    _ reason: ModelError.Reason, _ message: String
  ) {
    let failure = PublicFailure(ModelError(.input, reason, layer: "x", file: Self.path))
    #expect(failure.status == .unprocessable)
    #expect(failure.message == message)
  }
}
