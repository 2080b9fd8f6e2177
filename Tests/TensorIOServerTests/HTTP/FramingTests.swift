import Foundation
import TensorIOTestSupport
import Testing
@testable import TensorIOServer

/// What a client may send and may not, byte for byte: each case is a file.
@Suite struct FramingTests {
  @Test func `there are cases`() {
    #expect(FramingCase.all.count >= 60)
  }

  @Test(arguments: FramingCase.all)
  func `a case ends as its name says, however its bytes come`(framing: FramingCase) {
    let bytes = framing.bytesAndMore
    #expect(Conversation.outcome(of: bytes, cutAt: []) == framing.outcome)
    #expect(Conversation.outcome(of: bytes, cutAt: Array(1..<bytes.count)) == framing.outcome)
  }

  @Test(arguments: FramingCase.all, [true, false])
  func `it ends so over a socket`(framing: FramingCase, isWhole: Bool) throws {
    let server = try TestServer()
    let client = try server.client()
    send(framing.bytesAndMore, client, isWhole)
    if !framing.outcome.closes { client.shutdownWrite() }
    let answers = try client.responses(bodyless: framing.bytes.starts(with: "HEAD".utf8))
    let calls = server.log.all.filter { $0.status == 200 }.count
    let outcome = Outcome(
      statuses: answers.map(\.status), closes: answers.last?.closes ?? false, calls: calls)
    #expect(outcome == framing.outcome)
    #expect(server.routes.calls(of: "/here") + server.routes.calls(of: "/small") == calls)
    #expect(answers.allSatisfy { $0["X-Request-Id"]?.isEmpty == false })
  }

  private func send(_ bytes: [UInt8], _ client: RawHTTPClient, _ isWhole: Bool) {
    guard !isWhole else {
      client.send(bytes)
      return
    }
    for byte in bytes where !client.send([byte]) { return }
  }
}

@Suite struct BrokenRequestTests {
  private static let good = FramingCase.all.filter { !$0.outcome.closes && $0.bytes.count < 2000 }

  @Test(arguments: good)
  func `it does not matter where bytes are cut`(framing: FramingCase) {
    for place in framing.bytes.indices.dropFirst() {
      #expect(Conversation.outcome(of: framing.bytes, cutAt: [place]) == framing.outcome)
    }
  }

  /// Whatever comes, nothing crashes, and what is understood does not depend on the network.
  @Test(arguments: 0..<8) func `changed bytes are understood in one way`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      var bytes = try #require(Self.good.randomElement(using: &generator)).bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) { change(&bytes, &generator) }
      guard bytes.count > 1 else { continue }
      let places = (0..<3).map { _ in Int.random(in: 1..<bytes.count, using: &generator) }.sorted()
      let whole = Conversation.outcome(of: bytes, cutAt: [])
      #expect(Conversation.outcome(of: bytes, cutAt: places) == whole)
      #expect(Conversation.outcome(of: bytes, cutAt: Array(1..<bytes.count)) == whole)
    }
  }

  private func change(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
    guard let place = bytes.indices.randomElement(using: &generator) else { return }
    let telling: [UInt8] = [0, 9, 10, 13, 32, 44, 45, 48, 58, 59, 127, 255]
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: bytes.remove(at: place)
    case 1: bytes[place] = telling.randomElement(using: &generator) ?? 0
    case 2: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 3: bytes.insert(telling.randomElement(using: &generator) ?? 0, at: place)
    default: bytes.insert(contentsOf: bytes[place...].prefix(20), at: place)
    }
  }
}
