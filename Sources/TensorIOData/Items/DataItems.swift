public import TensorIOCore

/// Items with right answers, whatever those are.
///
/// Opening data finds all that is wrong with it. What concerns a single item is in ``problems``, and
/// is thrown by whoever asks for that item; the others are as good as ever. Who needs all of them
/// calls ``check()``.
public protocol DataItems: Sendable {
  /// How many items there are.
  var count: Int { get }
  /// What the indexes of labels mean.
  var labels: [String] { get }
  /// What is wrong with the data as a whole and with its items.
  var problems: [Problem] { get }
  /// What was mended or left out, and why.
  var warnings: [Problem] { get }

  /// What an item is called.
  func name(at index: Int) -> String
  /// The labels that an item has, each once, in ascending order.
  func labelIndexes(at index: Int) -> [Int]
  /// What the data sets an item apart for.
  func part(at index: Int) -> DataPart?
  /// What is wrong with an item.
  func problem(at index: Int) -> Problem?

  /// The items at some places, in that order, as data of the same kind; nothing is copied.
  func selecting(_ indexes: [Int]) -> Self
}

extension DataItems {
  /// Throws all problems together, if there are any.
  public func check() throws(ModelError) {
    guard problems.isEmpty else { throw ModelError(.input, .invalidData(problems)) }
  }

  /// Throws what is wrong with an item.
  func check(item index: Int) throws(ModelError) {
    guard let problem = problem(at: index) else { return }
    throw ModelError(.input, .invalidData([problem])).at(item: index)
  }
}
