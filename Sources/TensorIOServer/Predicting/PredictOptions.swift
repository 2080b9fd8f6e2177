internal import TensorIOAnswers

/// What the words behind the `?` ask for.
struct PredictOptions {
  /// Which answers are wanted.
  var answers = AnswerOptions()
  /// The input that a body without names is for.
  var input: String?
  /// Whether the answer is wanted as a picture.
  var wantsPicture = false

  /// Wants what the bundle says.
  init() {}

  /// Reads the words; none is ignored.
  init(_ query: [RequestTarget.QueryItem]) throws(PublicFailure) {
    for item in query { try take(item) }
  }

  private mutating func take(_ item: RequestTarget.QueryItem) throws(PublicFailure) {
    switch item.name {
    case "top": answers.top = try Self.count(item)
    case "above": answers.above = try Self.number(item)
    case "threshold": answers.threshold = try Self.number(item)
    case "annotate": wantsPicture = try Self.flag(item)
    case "input": input = item.value
    default:
      throw Self.refusal(
        "there is no '\(item.name)' behind the '?'; there are top, above, threshold, annotate "
          + "and input")
    }
  }

  private static func count(_ item: RequestTarget.QueryItem) throws(PublicFailure) -> Int {
    guard let count = Int(item.value), count > 0 else {
      throw refusal("'\(item.name)' takes a whole number from 1 up")
    }
    return count
  }

  private static func number(_ item: RequestTarget.QueryItem) throws(PublicFailure) -> Float {
    guard let number = Float(item.value), number.isFinite else {
      throw refusal("'\(item.name)' takes a number")
    }
    return number
  }

  private static func flag(_ item: RequestTarget.QueryItem) throws(PublicFailure) -> Bool {
    switch item.value {
    case "", "1", "true": return true
    case "0", "false": return false
    default: throw refusal("'\(item.name)' takes 1 or 0")
    }
  }

  private static func refusal(_ message: String) -> PublicFailure {
    PublicFailure(.badRequest, "bad-query", message)
  }
}
