import Foundation
import TensorIOSystem
import TensorIOTestSupport
import Testing

/// Resource use of a server after many requests.
///
/// `TENSORIO_REQUESTS=1000000 swift test --filter ManyRequestTests` takes about ten minutes.
@Suite(.serialized, .ownThreads) struct ManyRequestTests {
  static let count = Platform.environment("TENSORIO_REQUESTS").flatMap { Int($0) } ?? 6000
  static let clients = 4
  /// The number of worker threads, and so of worker processes.
  private static let workers = 2

  /// The resource use of a server.
  private struct Figures {
    let residentKiB: Int
    let descriptors: Int
    let threads: Int
    let processorSeconds: Double

    init(_ id: Int32) throws {
      let process = ProcessStatistics(id)
      residentKiB = try process.residentKiB
      (descriptors, threads) = (try process.descriptors, try process.threads)
      processorSeconds = try process.processorSeconds
    }
  }

  @Test(.hangGuard(isLong: count > 6000))
  func `Memory, threads and descriptors do not grow with requests`()
    async throws
  {
    let server = try ServedExamples([
      IsolatedServerTests.diabetes, "--workers", "\(Self.workers)", "--quiet",
    ])
    try await warmUp(server)
    let tenth = Self.count / 10
    var figures: [Figures] = []
    for part in 0..<10 {
      try await ask(server, tenth)
      // After 10, 20, 90 and 100 percent of the requests.
      if [0, 1, 8, 9].contains(part) { figures.append(try settled(server.id, figures.first)) }
    }
    let growth = figures[3].residentKiB - figures[0].residentKiB
    let early = figures[1].processorSeconds - figures[0].processorSeconds
    let late = figures[3].processorSeconds - figures[2].processorSeconds
    print(
      "\(Self.count) requests: \(growth) KiB more than after the first tenth, descriptors "
        + "\(figures[0].descriptors) and \(figures[3].descriptors), threads \(figures[0].threads) "
        + "and \(figures[3].threads), processor time of the second tenth \(early) s, of the last "
        + "\(late) s")
    #expect(growth <= 5 << 10)
    #expect(figures[3].descriptors <= figures[0].descriptors)
    // A thread that replaced a blocked one may still have been there after the first tenth.
    #expect(figures[3].threads <= figures[0].threads)
    // The clock is too coarse for few requests.
    #expect(late <= early * (Self.count < 100_000 ? 2 : 1.1) + 0.2)
    #expect(server.end().exitCode == 0)
  }

  /// Sends requests until every worker process runs, which is launched when requests first overlap
  /// and has descriptors and threads of the server.
  private func warmUp(_ server: ServedExamples) async throws {
    while try ProcessStatistics(server.id).workers.count < Self.workers {
      try await ask(server, 20 * Self.clients)
    }
  }

  /// Returns the resource use of the idle server.
  ///
  /// Closed connections are noticed with a delay, and threads that replaced blocked ones end with a
  /// delay, which is longer on a busy machine. Those that are still there after a minute are a leak.
  private func settled(_ id: Int32, _ first: Figures?) throws -> Figures {
    var figures = [try Figures(id)]
    let isSettled = {
      let last = figures[figures.count - 1]
      return figures.count >= 5
        && figures.suffix(5).allSatisfy {
          $0.descriptors == last.descriptors && $0.threads == last.threads
        }
        && last.descriptors <= first?.descriptors ?? .max && last.threads <= first?.threads ?? .max
    }
    while figures.count < 150, !isSettled() {
      usleep(400_000)
      figures.append(try Figures(id))
    }
    return try #require(figures.last)
  }

  /// Sends a number of requests by several clients, each reconnecting occasionally.
  private func ask(_ server: ServedExamples, _ count: Int) async throws {
    let clients = try (0..<Self.clients).map { _ in try server.client() }
    let address = server.address
    let failures = await withTaskGroup { group in
      for client in clients {
        group.addTask {
          await onNewThread { Self.failure(client, address, count / Self.clients) }
        }
      }
      return await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
    }
    #expect(failures == [])
  }

  private static func failure(_ client: RawHTTPClient, _ address: String, _ count: Int) -> String? {
    do {
      try ask(client, address, count)
      return nil
    } catch {
      return "\(error)"
    }
  }

  private static func ask(_ first: RawHTTPClient, _ address: String, _ count: Int) throws {
    let port = try #require(address.split(separator: ":").last.flatMap { Int($0) })
    var client = first
    for number in 0..<count {
      if number % 20 == 19 { client = try RawHTTPClient(port: port) }
      let expected = send(number, client)
      let answer = try client.response()
      guard answer.status == expected else { throw Surprise(answer.status, expected) }
    }
  }

  /// Sends a request, one of ten of them invalid, and returns the expected status.
  private static func send(_ number: Int, _ client: RawHTTPClient) -> Int {
    switch number % 10 {
    case 0:
      client.post("/v2/models/diabetes/predict", json: number % 20 == 0 ? "[1" : "[1]")
      return number % 20 == 0 ? 400 : 422
    case 1, 2, 3, 4:
      client.post("/v2/models/diabetes/predict", json: IsolatedServerTests.patient)
    case 5, 6: client.get("/v2/models/diabetes")
    case 7: client.get("/v2/models")
    default: client.get("/v2/health/ready")
    }
    return 200
  }

  private struct Surprise: Error {
    let status: Int
    let expected: Int

    init(_ status: Int, _ expected: Int) { (self.status, self.expected) = (status, expected) }
  }
}
