@testable import TensorIOServer

/// A connection without a socket, which parses requests and records their outcome.
struct SimulatedConnection {
  private var parser = RequestParser()
  private let policy: RequestPolicy
  private var head: RequestHead?
  private var route: Route?
  private(set) var outcome = Outcome()
  /// The bodies that handlers received.
  private(set) var bodies: [[UInt8]] = []

  init(_ routes: [Route] = TestRoutes().routes) {
    policy = RequestPolicy(
      router: Router(routes), token: nil, isLoopback: true, allowedHosts: [])
  }

  /// Returns the outcome of bytes that arrive split at the given offsets.
  static func outcome(of bytes: [UInt8], splitAt offsets: [Int]) -> Outcome {
    var connection = SimulatedConnection()
    var start = 0
    for offset in offsets + [bytes.count] {
      connection.receive(bytes[start..<offset])
      start = offset
    }
    return connection.outcome
  }

  mutating func receive(_ bytes: ArraySlice<UInt8>) {
    parser.append(bytes)
    while !outcome.closes, processNextEvent() {}
  }

  private mutating func processNextEvent() -> Bool {
    do throws(HTTPRejection) {
      switch try parser.nextEvent() {
      case .head(let head):
        self.head = head
        let route = try policy.route(of: head)
        self.route = route
        try parser.acceptBody(maxBytes: policy.maxBodyBytes(route, head))
      case .body(let body): respond(body)
      case nil: return false
      }
    } catch {
      outcome.statuses.append(error.response.status.code)
      outcome.closes = error.closesConnection || head?.closesConnection ?? true
      parser.skipBody()
    }
    return true
  }

  private mutating func respond(_ body: [UInt8]) {
    guard let head, let route else { return }
    let request = HTTPRequest(
      head.line.method, head.line.target, headers: head.headers, body: body)
    outcome.statuses.append(route.respond(to: request).status.code)
    outcome.calls += 1
    outcome.closes = head.closesConnection
    bodies.append(body)
  }
}
