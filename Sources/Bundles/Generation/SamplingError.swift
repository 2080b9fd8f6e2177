import TensorIOBundle

/// An error from choosing a token.
package enum SamplingError: Error, Sendable, Hashable {
  /// A setting is out of range.
  case invalidOption(name: String, requirement: String)
  /// The model returned another number of scores than it declares.
  case wrongScoreCount(Int, expected: Int)
  /// The score of a token is NaN or infinity, for example because the model is damaged.
  case nonfiniteScore(token: Int32)
  /// No token can be chosen: all of them are banned or not allowed.
  case noTokenAllowed
}

extension SamplingError: CustomStringConvertible {
  /// The error in words.
  package var description: String {
    switch self {
    case .invalidOption(let name, let requirement): "'\(name)' has to be \(requirement)"
    case .wrongScoreCount(let count, let expected):
      "the model returned \(count) scores instead of \(expected)"
    case .nonfiniteScore(let token): "the score of token \(token) is not a finite number"
    case .noTokenAllowed: "no token can be chosen: all are banned"
    }
  }
}

extension ModelError {
  /// Calls `body`, whose error becomes one of the run.
  static func rethrowing<Value>(
    _ body: () throws(SamplingError) -> Value
  ) throws(ModelError) -> Value {
    do {
      return try body()
    } catch {
      throw ModelError(.run, .failed("\(error)"))
    }
  }
}
