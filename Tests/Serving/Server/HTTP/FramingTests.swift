import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

/// Parses valid and invalid requests byte for byte; each case is a file.
@Suite struct FramingTests {
  @Test func `There are enough cases`() {
    #expect(FramingCase.all.count >= 60)
  }

  @Test(arguments: FramingCase.all)
  func `A case has its expected outcome however its bytes are split`(framing: FramingCase) {
    let bytes = framing.bytesWithSmuggledRequest
    #expect(SimulatedConnection.outcome(of: bytes, splitAt: []) == framing.outcome)
    #expect(
      SimulatedConnection.outcome(of: bytes, splitAt: Array(1..<bytes.count)) == framing.outcome)
  }

  @Test(arguments: FramingCase.all, [true, false])
  func `A case has the same outcome over a socket`(framing: FramingCase, isUnsplit: Bool) throws {
    let server = try TestServer()
    let client = try server.client()
    send(framing.bytesWithSmuggledRequest, client, isUnsplit)
    if !framing.outcome.closes { client.shutdownWrite() }
    let responses = try client.responses(bodyless: framing.bytes.starts(with: "HEAD".utf8))
    let calls = server.log.all.filter { $0.status == 200 }.count
    let outcome = Outcome(
      statuses: responses.map(\.status), closes: responses.last?.closes ?? false, calls: calls)
    #expect(outcome == framing.outcome)
    #expect(server.routes.calls(of: "/here") + server.routes.calls(of: "/small") == calls)
    #expect(responses.allSatisfy { $0["X-Request-Id"]?.isEmpty == false })
  }

  private func send(_ bytes: [UInt8], _ client: RawHTTPClient, _ isUnsplit: Bool) {
    guard !isUnsplit else {
      client.send(bytes)
      return
    }
    for byte in bytes where !client.send([byte]) { return }
  }
}

@Suite struct BrokenRequestTests {
  private static let valid = FramingCase.all.filter { !$0.outcome.closes && $0.bytes.count < 2000 }

  @Test(arguments: valid)
  func `The outcome does not depend on where bytes are split`(framing: FramingCase) {
    for offset in framing.bytes.indices.dropFirst() {
      #expect(
        SimulatedConnection.outcome(of: framing.bytes, splitAt: [offset]) == framing.outcome)
    }
  }

  /// Mutated requests do not crash the parser, and their outcome does not depend on the network.
  @Test(arguments: 0..<8)
  func `The outcome of mutated bytes does not depend on where they are split`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    for _ in 0..<500 {
      var bytes = try #require(Self.valid.randomElement(using: &generator)).bytes
      for _ in 0..<Int.random(in: 1...4, using: &generator) { mutate(&bytes, &generator) }
      guard bytes.count > 1 else { continue }
      let offsets = (0..<3).map { _ in
        Int.random(in: 1..<bytes.count, using: &generator)
      }.sorted()
      let unsplit = SimulatedConnection.outcome(of: bytes, splitAt: [])
      #expect(SimulatedConnection.outcome(of: bytes, splitAt: offsets) == unsplit)
      #expect(
        SimulatedConnection.outcome(of: bytes, splitAt: Array(1..<bytes.count)) == unsplit)
    }
  }

  private func mutate(_ bytes: inout [UInt8], _ generator: inout SeededGenerator) {
    guard let index = bytes.indices.randomElement(using: &generator) else { return }
    let significant: [UInt8] = [0, 9, 10, 13, 32, 44, 45, 48, 58, 59, 127, 255]
    switch Int.random(in: 0..<5, using: &generator) {
    case 0: bytes.remove(at: index)
    case 1: bytes[index] = significant.randomElement(using: &generator) ?? 0
    case 2: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
    case 3: bytes.insert(significant.randomElement(using: &generator) ?? 0, at: index)
    default: bytes.insert(contentsOf: bytes[index...].prefix(20), at: index)
    }
  }
}
