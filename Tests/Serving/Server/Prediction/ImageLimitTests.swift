import Dispatch
import TensorIOImage
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Limits on the images of requests.
@Suite(.hangGuard) struct ImageLimitTests {
  private func png(_ width: Int, _ height: Int) throws -> [UInt8] {
    try ImageBuffer.filled(width: width, height: height, red: 9, green: 8, blue: 7)
      .encoded(as: .png)
  }

  private func form(_ files: [[UInt8]]) -> [UInt8] {
    files.flatMap { file in
      Array("--b\r\nContent-Disposition: form-data; name=\"x\"; filename=\"a\"\r\n\r\n".utf8)
        + file + Array("\r\n".utf8)
    } + Array("--b--\r\n".utf8)
  }

  @Test func `An image with too many pixels is rejected`() throws {
    let harness = try PredictionHarness(limits: PredictionLimits(maxPixels: 100))
    #expect(try harness.predict("image", "image/png", png(10, 10)).status == .ok)
    let response = try harness.predict("image", "image/png", png(11, 10))
    #expect(response.status == .contentTooLarge)
    #expect(try response.code() == "image-too-large")
    #expect(response.text.contains("11 × 10") && response.text.contains("100 pixels"))
  }

  @Test func `The pixels of all images of a request are limited`() throws {
    let harness = try PredictionHarness(limits: PredictionLimits(maxPixels: 100))
    let type = "multipart/form-data; boundary=b"
    let image = try png(10, 10)
    let eight = try harness.predict("image", type, form([[UInt8]](repeating: image, count: 8)))
    #expect(eight.status == .ok)
    #expect(try eight.json().array?.count == 8)
    let nine = try harness.predict("image", type, form([[UInt8]](repeating: image, count: 9)))
    #expect(nine.status == .contentTooLarge)
    #expect(try nine.code() == "too-many-pixels")
  }

  @Test func `An image that requires more than the whole memory budget is rejected`() throws {
    let harness = try PredictionHarness(
      limits: PredictionLimits(memory: MemoryBudget(byteCount: 4096)))
    #expect(try harness.predict("image", "image/png", png(4, 4)).status == .ok)
    let response = try harness.predict("image", "image/png", png(200, 100))
    #expect(response.status == .contentTooLarge)
    #expect(try response.code() == "image-too-large")
    #expect(response.text.contains("4096 bytes"))
  }

  @Test func `An image waits for memory that others use, up to a time limit`() throws {
    let budget = MemoryBudget(byteCount: 100_000)
    var limits = PredictionLimits(memory: budget)
    limits.memoryTimeout = .milliseconds(20)
    let harness = try PredictionHarness(limits: limits)
    #expect(budget.reserve(99_999, isBackground: false, until: .now))
    let response = try harness.predict("image", "image/png", png(10, 10))
    #expect(response.status == .tooManyRequests)
    #expect(try response.code() == "memory-exhausted")
    #expect(response.headers["Retry-After"] != nil)
    budget.release(99_999, isBackground: false)
    #expect(try harness.predict("image", "image/png", png(10, 10)).status == .ok)
    #expect(budget.usedBytes == 0)
  }

  @Test func `Large images and many items are processed in the background`() throws {
    let harness = try PredictionHarness()
    func isBackground(_ body: [UInt8], _ type: String) throws -> Bool {
      let target = try #require(RequestTarget("/v2/models/image/predict"))
      let request = HTTPRequest(
        .post, target, headers: ["Content-Type": type], body: body)
      guard case .route(let route) = harness.router.match(.post, target) else { return false }
      let done = DispatchSemaphore(value: 0)
      let queue = RequestQueue(.init(workerThreads: 1, maxQueued: 1)) { _ in done.signal() }
      defer { queue.close() }
      let work = QueuedRequest(connectionID: 1, request: request, route: route, enqueuedAt: .now)
      let task = RequestTask(work, "image", .foreground, queue)
      queue.resume(RequestTask.Job(task))
      done.wait()
      return task.pool == .background
    }
    let small = try png(10, 10)
    // A request for a model that is not open waits for it first.
    #expect(try harness.predict("image", "image/png", small).status == .ok)
    #expect(try !isBackground(small, "image/png"))
    #expect(try isBackground(png(4000, 2500), "image/png"))
    let type = "multipart/form-data; boundary=b"
    #expect(try !isBackground(form([small, small]), type))
    #expect(try isBackground(form([[UInt8]](repeating: small, count: 9)), type))
  }

  @Test func `An annotated image has a limited size`() throws {
    let harness = try PredictionHarness()
    let response = try harness.predict("image", "image/png", png(3000, 40), query: "?annotate=1")
    #expect(response.status == .ok)
    #expect(try ImageBuffer(decoding: response.body).width == 2048)
    let small = PredictionLimits(memory: MemoryBudget(byteCount: 1 << 20))
    #expect(small.maxAnnotatedSide < 200)
  }
}
