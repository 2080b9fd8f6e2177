import Foundation
import Synchronization
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle
@testable import TensorIOIsolation

/// Messages between the application and a worker process, tested without processes.
@Suite(.ownThreads) struct FrameTests {
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
    .resetState, .makeStepSession,
    .beginSteps([GivenCache(input: "a", elementType: .float16, shape: [1, 0, 3], range: 64..<70)]),
    .step(after: 3, tokens: [0, 255, -1, .max]),
    .writeScores(after: 4),
    .load(
      LoadRequest(
        path: "/m", name: "m", byteCount: nil, modelUse: WorkerModelUse(DecoderFixture.binding))),
  ]

  static let responses: [WorkerResponse] =
    [
      .done, .sessionMade(hasState: true), .outputMemoryRequired(1 << 33),
      .stepSessionMade(
        StepSessionInfo(
          capacity: 8, vocabularySize: 256, hasScoresOfEveryToken: true, baseByteCount: 9,
          byteCountPerToken: 96)),
      .outputs([OutputLocation(shape: [2, 3], range: 0..<24)]),
      .modelLoaded(
        LoadedModelInfo(
          signature: ModelSignature(name: "s", inputs: [tensor], outputs: [tensor]),
          signatures: [ModelSignature(name: "t", inputs: [], outputs: [])],
          warnings: [
            Diagnostic(.warning, code: "c", path: "/p", line: 3, found: "f", message: "m")
          ])),
    ] + reasons.map { .failed(ModelError(.runtime, $0, layer: "l", file: "f")) }

  /// The error reasons that runtimes use.
  static let reasons: [ModelError.Reason] = [
    .failed("a"), .unsupported("b"), .modelRejected(detail: "c"), .missingFile("d"),
    .missingOperators(["e", "f"]), .sandboxUnavailable(missing: ["g"]),
    .untrustedOperators(["h"], node: "i"), .unreadableFile("j", detail: "k"),
    .inputNames(missing: ["l"], unexpected: [], declared: ["m"]),
    .unmetRequirement("a"),
    .runtimeMissing(.init(backend: .tensorflow, searchResults: ["n"], recoverySuggestion: "o")),
    .wrongShape(expected: "p", actual: "q"), .wrongType(expected: "r", actual: "s"),
    .oversizedFile("t", bytes: 2, limit: 1),
    .callFailed(function: "u", status: -3, message: "v"), .inputCount(expected: 1, actual: 2),
    .wrongCount(expected: 3, actual: 4), .wrongByteCount(expected: 5, actual: 6),
    .invalidDescription([Diagnostic(.error, code: "c", path: "", message: "m")]),
  ]

  @Test(arguments: requests) func `A request is decoded as it was encoded`(_ request: WorkerRequest)
    throws
  {
    #expect(try WorkerRequest(MessageFrame(request.frame.bytes)) == request)
  }

  @Test(arguments: responses)
  func `A response is decoded as it was encoded`(_ response: WorkerResponse) throws {
    #expect(try WorkerResponse(MessageFrame(response.frame.bytes)) == response)
  }

  @Test func `An error of an application's code is decoded as it was encoded`() throws {
    let code = ModelError.Code("device-lost")
    let error = ModelError(.run, .init(code, "the device \("gpu 0", as: "device") was removed"))
    let frame = try MessageFrame(WorkerResponse.failed(error).frame.bytes)
    guard case .failed(let received) = try WorkerResponse(frame) else {
      return #expect(Bool(false), "no error")
    }
    #expect(received == error && code ~= received && received.text("device") == "gpu 0")
  }

  @Test(.hangGuard)
  func `Sending to a peer that does not read ends at the deadline`() throws {
    let (sender, receiver) = try MessageChannel.pair()
    let request = WorkerRequest.invoke([
      .strings(input: 0, [[UInt8](repeating: 0, count: 8 << 20)])
    ])
    let deadline = Deadline.after(.milliseconds(200))
    #expect(throws: ChannelError.timedOut) { try sender.send(request, until: deadline) }
    #expect(deadline.remainingMilliseconds == 0)
    withExtendedLifetime(receiver) {}
  }

  @Test func `A message that is larger than the socket's buffer arrives complete`() throws {
    let (sender, receiver) = try MessageChannel.pair()
    let memory = try #require(SharedMemory(readOnly: [1, 2, 3]))
    let request = WorkerRequest.invoke([
      .strings(input: 0, [(0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 / 7) }])
    ])
    // A thread, not a task: a task may wait long for one of the few threads of the tests.
    let result = Mutex<(message: WorkerRequest, descriptor: CInt?)?>(nil)
    let finished = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      let received = try? receiver.receive(WorkerRequest.self, until: .after(HangGuard.step))
      result.withLock { $0 = received }
      finished.signal()
    }
    try sender.send(request, with: memory, until: .after(HangGuard.step))
    finished.wait()
    let received = try #require(result.withLock { $0 })
    #expect(received.message == request)
    let descriptor = try #require(received.descriptor)
    let copy = try #require(SharedMemory(received: descriptor, byteCount: 3, isWritable: false))
    #expect(copy.copy(0..<3) == [1, 2, 3])
  }

  @Test(arguments: [
    FrameError.badMagic, .oversized(MessageFrame.maxBodyLength + 1), .wrongLength,
    .unknownKind(200),
  ])
  func `Invalid frames are rejected`(_ error: FrameError) throws {
    var bytes = try WorkerResponse.outputMemoryRequired(1).frame.bytes
    switch error {
    case .badMagic: bytes[4] = 9
    case .oversized(let count):
      bytes.replaceSubrange(
        8..<12, with: (0..<4).map { UInt8(truncatingIfNeeded: count >> ($0 * 8)) })
    case .wrongLength: bytes.removeLast()
    case .unknownKind(let kind): bytes[5] = kind
    case .invalidValue: break
    }
    #expect(throws: error) { try WorkerResponse(MessageFrame(bytes)) }
  }

  @Test func `A message that is too long is not encoded`() {
    let count = MessageFrame.maxBodyLength + 1
    #expect(throws: FrameError.oversized(count)) {
      try MessageFrame(kind: 131, body: [UInt8](repeating: 0, count: count)).bytes
    }
  }

  @Test(arguments: ["", "A", "a b", "a\n", "é", String(repeating: "a", count: 65)])
  func `An error whose code is not in kebab case is rejected`(code: String) {
    var writer = FrameWriter()
    writer.write(ModelError.Stage.runtime, code, "summary", "other", "message", "{}")
    writer.write([Diagnostic](), String?.none, String?.none, String?.none)
    #expect(throws: FrameError.invalidValue("the code of an error")) {
      var reader = FrameReader(writer.bytes[...])
      _ = try ModelError(from: &reader)
    }
  }

  @Test(arguments: ["", "[]", "3", "{", "{\"a\": }"])
  func `An error whose details are not an object is rejected`(details: String) {
    var writer = FrameWriter()
    writer.write(ModelError.Stage.runtime, "failed", "summary", "other", "message", details)
    writer.write([Diagnostic](), String?.none, String?.none, String?.none)
    #expect(throws: FrameError.invalidValue("the details of an error")) {
      var reader = FrameReader(writer.bytes[...])
      _ = try ModelError(from: &reader)
    }
  }

  @Test func `A binding is restored with its layers`() {
    let number = Layer(name: "n", kind: .scalar(NumericLayer(shape: [])))
    let row = Layer(name: "r", kind: .array(NumericLayer(shape: [-1, 2])))
    var description = ModelDescription(inputs: [number], outputs: [row])
    (description.placeholders, description.modelSignature) = ([number], "s")
    let binding = ModelBinding(description, mode: .train, threads: 2)
    #expect(WorkerModelUse(binding).modelBinding == binding)
    let named = ModelBinding(description, mode: .predict)
    #expect(named.signature == "s")
    #expect(WorkerModelUse(named).modelBinding == named)
    let decoder = DecoderFixture.binding
    #expect(WorkerModelUse(decoder).modelBinding == decoder)
  }

  /// With the threads of all sessions in each of its processes, a server would have the square of its processors.
  @Test func `A worker process has the threads of one session`() throws {
    let description = try TestBundle().read().description
    let binding = ModelBinding(description, mode: .predict, threads: 6, sessions: 3)
    #expect(WorkerModelUse(binding).threads == 2)
    // In one process, each run also computes on the thread that calls it.
    #expect(binding.poolThreads == 4)
    let single = ModelBinding(description, mode: .predict, threads: 8, sessions: 8)
    #expect(single.poolThreads == 1 && WorkerModelUse(single).threads == 1)
    #expect(ModelBinding(description, mode: .predict, threads: 4).poolThreads == 4)
  }

  @Test func `A Boolean other than 0 and 1 is rejected`() throws {
    #expect(throws: FrameError.invalidValue("the Boolean 2")) {
      var reader = FrameReader([2])
      _ = try Bool(from: &reader)
    }
  }

  @Test func `A count larger than the message does not allocate memory`() {
    let body: [UInt8] = [0xFF, 0xFF, 0xFF, 0x7F]
    #expect(throws: FrameError.wrongLength) {
      try WorkerResponse(MessageFrame(kind: 131, body: body))
    }
  }

  @Test(arguments: [(-1, 1), (nil, 0), (nil, -1), (nil, (1 << 30) + 1)] as [(Int?, Int)])
  func `Caches with an impossible number of tokens or scores are rejected`(
    _ capacity: Int?, _ vocabularySize: Int
  ) throws {
    let info = StepSessionInfo(
      capacity: capacity, vocabularySize: vocabularySize, hasScoresOfEveryToken: false,
      baseByteCount: 0, byteCountPerToken: 1)
    let frame = WorkerResponse.stepSessionMade(info).frame
    #expect(throws: FrameError.self) { try WorkerResponse(frame) }
  }

  @Test(arguments: [[-2], [Int(Int32.max) + 1], Array(repeating: 1, count: 65)])
  func `An invalid shape is rejected`(_ dimensions: [Int]) {
    var writer = FrameWriter()
    writer.append(dimensions)
    #expect(throws: FrameError.self) {
      var reader = FrameReader(writer.bytes[...])
      _ = try TensorShape(from: &reader)
    }
  }

  @Test func `The total size of tensors is limited`() {
    let limit = 4 << 30
    #expect(SharedMemoryLayout([limit]) != nil)
    #expect(SharedMemoryLayout([limit + 1]) == nil)
    #expect(SharedMemoryLayout([limit - 64, 1]) != nil)
    #expect(SharedMemoryLayout([limit - 64, 65]) == nil)
    #expect(SharedMemoryLayout([1, .max]) == nil)
  }

  @Test func `Truncated and modified messages are decoded or rejected`() throws {
    var generator = SeededGenerator(seed: 9)
    let samples =
      try Self.responses.map { try $0.frame.bytes } + Self.requests.map { try $0.frame.bytes }
    var rejected = 0
    for bytes in samples {
      for length in bytes.indices { rejected += Self.isRejected(Array(bytes[..<length])) ? 1 : 0 }
      for _ in 0..<2_000 {
        var mutant = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
          mutant[Int.random(in: mutant.indices, using: &generator)] = .random(
            in: 0...255, using: &generator)
        }
        rejected += Self.isRejected(mutant) ? 1 : 0
      }
    }
    #expect(rejected > samples.count * 500)
  }

  /// Decodes a message, which must be equal after encoding it again.
  private static func isRejected(_ bytes: [UInt8]) -> Bool {
    guard let frame = try? MessageFrame(bytes) else { return true }
    if let response = try? WorkerResponse(frame) {
      #expect((try? WorkerResponse(response.frame))?.frame == response.frame)
    } else if let request = try? WorkerRequest(frame) {
      #expect((try? WorkerRequest(request.frame)) == request)
    } else {
      return true
    }
    return false
  }
}
