import TensorIOCore
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle
@testable import TensorIOIsolation

/// Messages between a program and its worker, without processes.
@Suite struct FrameTests {
  static let tensor = TensorInfo(
    name: "été", elementType: .int8, shape: TensorShape([nil, 224, 3]),
    quantization: TensorQuantization(scale: 0.5, zeroPoint: -128), signatureKey: "k")

  static let requests: [WorkerRequest] = [
    .configure(
      WorkerConfiguration(
        backend: .tflite, library: nil, trustsGraphs: true, memoryLimit: 1 << 31,
        processorSeconds: 7, level: .sandbox, readableFolder: "/a")),
    .load(
      LoadRequest(
        path: "/m", name: "m", byteCount: 12,
        modelUse: WorkerModelUse(
          ModelBinding(
            ModelDescription(
              inputs: [Layer(name: "x", kind: .scalar(NumericLayer(shape: [-1, 2])))],
              outputs: [Layer(name: "y", kind: .array(NumericLayer(shape: [1])))]),
            mode: .evaluate, threads: 3)))),
    .makeSession(threads: 4), .resize([[1, 2], []]), .attachMemory(.outputs, byteCount: 4096),
    .invoke([.bytes(input: 1, 64..<128), .strings(input: 2, [[1, 2, 3], []])]),
  ]

  static let answers: [WorkerResponse] =
    [
      .done, .outputMemoryRequired(1 << 33), .outputs([OutputLocation(shape: [2, 3], range: 0..<24)]),
      .modelLoaded(
        LoadedModelInfo(
          signature: ModelSignature(name: "s", inputs: [tensor], outputs: [tensor]),
          signatures: [ModelSignature(name: "t", inputs: [], outputs: [])],
          warnings: [
            Diagnostic(.warning, code: "c", path: "/p", line: 3, found: "f", message: "m")
          ])),
    ] + reasons.map { .failed(ModelError(.runtime, $0, layer: "l", file: "f")) }

  /// The reasons for which runtimes refuse and fail.
  static let reasons: [ModelError.Reason] = [
    .failed("a"), .unsupported("b"), .modelRejected(detail: "c"), .missingFile("d"),
    .missingOperators(["e", "f"]), .sandboxUnavailable(missing: ["g"]),
    .untrustedOperators(["h"], node: "i"), .unreadableFile("j", detail: "k"),
    .inputNames(missing: ["l"], unexpected: [], declared: ["m"]),
    .runtimeMissing(.init(backend: .tensorflow, searchResults: ["n"], installCommand: "o")),
    .wrongShape(expected: "p", actual: "q"), .wrongType(expected: "r", actual: "s"),
    .oversizedFile("t", bytes: 2, limit: 1),
    .callFailed(function: "u", status: -3, message: "v"), .inputCount(expected: 1, actual: 2),
    .wrongCount(expected: 3, actual: 4), .wrongByteCount(expected: 5, actual: 6),
    .invalidDescription([Diagnostic(.error, code: "c", path: "", message: "m")]),
  ]

  @Test(arguments: requests) func `a request arrives as it was sent`(_ request: WorkerRequest) throws {
    #expect(try WorkerRequest(MessageFrame(request.frame.bytes)) == request)
  }

  @Test(arguments: answers) func `an answer arrives as it was sent`(_ answer: WorkerResponse) throws {
    #expect(try WorkerResponse(MessageFrame(answer.frame.bytes)) == answer)
  }

  @Test func `a reason that no runtime has arrives in words`() throws {
    let error = ModelError(.run, .unknownOutput("x", known: ["y"]))
    guard case .failed(let arrived) = try WorkerResponse(MessageFrame(WorkerResponse.failed(error).frame.bytes)) else {
      return #expect(Bool(false), "no error")
    }
    #expect(arrived.reason == .failed(error.message))
  }

  @Test(arguments: [
    FrameError.badMagic, .oversized(MessageFrame.maxBodyLength + 1), .wrongLength, .unknownKind(200),
  ])
  func `what is no message is refused`(_ fault: FrameError) throws {
    var bytes = try WorkerResponse.outputMemoryRequired(1).frame.bytes
    switch fault {
    case .badMagic: bytes[4] = 9
    case .oversized(let count):
      bytes.replaceSubrange(
        8..<12, with: (0..<4).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) })
    case .wrongLength: bytes.removeLast()
    case .unknownKind(let kind): bytes[5] = kind
    case .invalidValue: break
    }
    #expect(throws: fault) { try WorkerResponse(MessageFrame(bytes)) }
  }

  @Test func `a message that is too long is not sent`() {
    let count = MessageFrame.maxBodyLength + 1
    #expect(throws: FrameError.oversized(count)) {
      try MessageFrame(kind: 131, body: [UInt8](repeating: 0, count: count)).bytes
    }
  }

  @Test(arguments: ["failed", "unreadable-file", "wrong-shape", "input-count", "unheard-of"])
  func `a reason that lacks its parts is refused`(code: String) {
    var writer = FrameWriter()
    let texts = code == "failed" ? [[]] : [["one"]]
    writer.write(ModelError.Stage.runtime, code, texts, [Int](), [Diagnostic]())
    #expect(throws: FrameError.invalidValue("an error '\(code)'")) {
      var reader = FrameReader(writer.bytes[...])
      _ = try ModelError(from: &reader)
    }
  }

  @Test func `what a worker is asked for has the layers that were meant`() {
    let number = Layer(name: "n", kind: .scalar(NumericLayer(shape: [])))
    let row = Layer(name: "r", kind: .array(NumericLayer(shape: [-1, 2])))
    var description = ModelDescription(inputs: [number], outputs: [row])
    description.placeholders = [number]
    let use = WorkerModelUse(ModelBinding(description, mode: .train, threads: 2)).modelUse
    #expect(use == ModelBinding(description, mode: .train, threads: 2))
  }

  @Test func `a truth value is one or none`() throws {
    #expect(throws: FrameError.invalidValue("a truth value of 2")) {
      var reader = FrameReader([2])
      _ = try Bool(from: &reader)
    }
  }

  @Test func `a count asks for no memory that the message does not have`() {
    let body: [UInt8] = [0xFF, 0xFF, 0xFF, 0x7F]
    #expect(throws: FrameError.wrongLength) { try WorkerResponse(MessageFrame(kind: 131, body: body)) }
  }

  @Test(arguments: [[-2], [Int(Int32.max) + 1], Array(repeating: 1, count: 65)])
  func `a shape that no tensor has is refused`(_ axes: [Int]) {
    var writer = FrameWriter()
    writer.append(axes)
    #expect(throws: FrameError.self) {
      var reader = FrameReader(writer.bytes[...])
      _ = try TensorShape(from: &reader)
    }
  }

  @Test func `tensors together take no more than one side may have`() {
    let most = 4 << 30
    #expect(SharedMemoryLayout([most]) != nil)
    #expect(SharedMemoryLayout([most + 1]) == nil)
    #expect(SharedMemoryLayout([most - 64, 1]) != nil)
    #expect(SharedMemoryLayout([most - 64, 65]) == nil)
    #expect(SharedMemoryLayout([1, .max]) == nil)
  }

  @Test func `every changed byte and every cut is a message or an error`() throws {
    var generator = SeededGenerator(seed: 9)
    let samples =
      try Self.answers.map { try $0.frame.bytes } + Self.requests.map { try $0.frame.bytes }
    var refused = 0
    for bytes in samples {
      for length in bytes.indices { refused += Self.isRefused(Array(bytes[..<length])) ? 1 : 0 }
      for _ in 0..<2_000 {
        var mutant = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          mutant[Int.random(in: mutant.indices, using: &generator)] = .random(
            in: 0...255, using: &generator)
        }
        refused += Self.isRefused(mutant) ? 1 : 0
      }
    }
    #expect(refused > samples.count * 500)
  }

  /// What is not refused must be the same when it is sent on.
  private static func isRefused(_ bytes: [UInt8]) -> Bool {
    guard let frame = try? MessageFrame(bytes) else { return true }
    if let answer = try? WorkerResponse(frame) {
      #expect((try? WorkerResponse(answer.frame))?.frame == answer.frame)
    } else if let request = try? WorkerRequest(frame) {
      #expect((try? WorkerRequest(request.frame)) == request)
    } else {
      return true
    }
    return false
  }
}
