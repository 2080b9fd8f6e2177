@testable import TensorIOServer

/// A connection without a socket: what would be answered to bytes that come in pieces.
struct Conversation {
  private var parser = RequestParser()
  private let admission: RequestPolicy
  private var head: RequestHead?
  private var route: Route?
  private(set) var outcome = Outcome()
  /// The bodies that handlers were given.
  private(set) var bodies: [[UInt8]] = []

  init(_ routes: [Route] = TestRoutes().routes) {
    admission = RequestPolicy(router: Router(routes), token: nil, isLoopback: true, allowedHosts: [])
  }

  /// What becomes of bytes that come at once, or one by one.
  static func outcome(of bytes: [UInt8], cutAt places: [Int]) -> Outcome {
    var conversation = Conversation()
    var start = 0
    for place in places + [bytes.count] {
      conversation.take(bytes[start..<place])
      start = place
    }
    return conversation.outcome
  }

  mutating func take(_ bytes: ArraySlice<UInt8>) {
    parser.append(bytes)
    while !outcome.closes, takeStep() {}
  }

  private mutating func takeStep() -> Bool {
    do throws(HTTPRejection) {
      switch try parser.nextEvent() {
      case .head(let head):
        self.head = head
        let route = try admission.route(of: head)
        self.route = route
        try parser.acceptBody(maxBytes: admission.maxBodyBytes(route, head))
      case .body(let body): answer(body)
      case nil: return false
      }
    } catch {
      outcome.statuses.append(error.response.status.code)
      outcome.closes = error.closesConnection || head?.closesConnection ?? true
      parser.skipBody()
    }
    return true
  }

  private mutating func answer(_ body: [UInt8]) {
    guard let head, let route else { return }
    let request = HTTPRequest(
      head.line.method, head.line.target, headers: head.headers, body: body)
    outcome.statuses.append(route.respond(to: request).status.code)
    outcome.calls += 1
    outcome.closes = head.closesConnection
    bodies.append(body)
  }
}
