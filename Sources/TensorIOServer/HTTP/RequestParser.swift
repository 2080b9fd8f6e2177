/// Makes requests of the bytes of a connection, one after the other.
///
/// Between a head and its body somebody has to say that the body is wanted. What was refused is
/// never read on: a refusal is the last thing that comes out of a parser.
struct RequestParser {
  /// What has become whole.
  enum Event {
    case head(RequestHead)
    case body([UInt8])
  }

  private enum Stage {
    case head, judgement, body, over
  }

  private var stage = Stage.head
  private var input = ByteQueue()
  private var head = HeadParser()
  private var framing = BodyFraming.length(0)
  private var body: BodyParser?

  /// Whether nothing of a next request has come.
  var isBetweenRequests: Bool { stage == .head && head.isUntouched && input.isEmpty }
  /// Whether a head was accepted and its body has not come whole.
  var isWithinBody: Bool { stage == .body }
  /// Whether there are bytes that were not read.
  var hasMore: Bool { !input.isEmpty }
  /// The first line of the request that is being read, as soon as it is there.
  var line: RequestLine? { head.line }

  mutating func feed(_ bytes: ArraySlice<UInt8>) {
    if stage != .over { input.append(bytes) }
  }

  /// What is whole now; `nil` when more has to come, or a judgement.
  mutating func next() throws(Refusal) -> Event? {
    do throws(Refusal) {
      switch stage {
      case .head: return try nextHead()
      case .body: return try nextBody()
      case .judgement, .over: return nil
      }
    } catch {
      end()
      throw error
    }
  }

  /// Lets the body come of the head that was given last.
  mutating func accept(bodyWithin limit: Int) throws(Refusal) {
    guard stage == .judgement else { return }
    do throws(Refusal) {
      body = try BodyParser(framing, limit: limit)
      stage = .body
    } catch {
      end()
      throw error
    }
  }

  /// Goes on behind a head that has no body, and that nobody answers.
  mutating func skipBody() {
    if stage == .judgement { (stage, head) = (.head, HeadParser()) }
  }

  /// Reads nothing any more.
  mutating func end() {
    self = RequestParser()
    stage = .over
  }

  private mutating func nextHead() throws(Refusal) -> Event? {
    guard let found = try head.head(from: &input) else { return nil }
    stage = .judgement
    framing = found.framing
    return .head(found)
  }

  private mutating func nextBody() throws(Refusal) -> Event? {
    guard try body?.isWhole(after: &input) == true else { return nil }
    let bytes = body?.bytes ?? []
    (stage, head, body) = (.head, HeadParser(), nil)
    return .body(bytes)
  }
}
