public import TensorIOBundle
import TensorIOSystem

/// What each kind of error costs.
///
/// ```
/// truth,prediction,cost
/// tumor,healthy,50
/// healthy,*,2
/// *,(none),0.5
/// ```
///
/// `*` is any other label. A correct prediction costs nothing and an error 1, unless a row has another cost; the row with
/// fewer `*` counts.
public struct ErrorCosts: Sendable, Hashable {
  /// The truth of a detection where there is no object, and the prediction of an object that is missed.
  public static let background = "(background)"
  /// The prediction of an item whose best score is below the threshold.
  public static let none = "(none)"
  private static let any = "*"
  private static let columns = ["truth", "prediction", "cost"]

  /// A kind of error.
  private struct Kind: Sendable, Hashable {
    let truth: String
    let prediction: String

    var text: String { "\(truth), \(prediction)" }
  }

  private var costs: [Kind: Double] = [:]

  /// Creates costs, the last of equal ones.
  ///
  /// - Parameter rows: The true label, the predicted label and the cost of each.
  public init(_ rows: [(truth: String, prediction: String, cost: Double)] = []) {
    for row in rows { costs[Kind(truth: row.truth, prediction: row.prediction)] = row.cost }
  }

  /// Reads a `.csv` or `.tsv` file with the columns `truth`, `prediction` and `cost`.
  ///
  /// - Parameter path: The path of the file.
  /// - Throws: `ModelError` with all errors and their lines if a row is invalid.
  public init(at path: String) throws(ModelError) {
    var log = DataDiagnosticLog()
    do throws(ModelError) {
      let text = try TableText(at: path)
      var reader = CSVReader(text.bytes, separator: text.separator)
      let header = reader.next()?.cells.map(\.text.trimmed) ?? []
      for column in Self.columns where !header.contains(column) {
        log.add(.missingColumn(column), path: "", line: 1)
      }
      try log.throwIfAny()
      let order = Self.columns.compactMap(header.firstIndex)
      while !log.isErrorLimitReached, let row = reader.next() {
        do throws(DataDiagnostic) {
          try add(row.cells, count: header.count, order)
        } catch {
          log.add(error, path: "", line: row.position.line)
        }
      }
      if costs.isEmpty { log.addEmptyDataError() }
      try log.throwIfAny()
    } catch {
      throw error.in(file: path)
    }
  }

  private mutating func add(
    _ cells: [CSVCell], count: Int, _ order: [Int]
  ) throws(DataDiagnostic) {
    if let diagnostic = cells.lazy.compactMap(\.diagnostic).first { throw diagnostic }
    guard cells.count == count else { throw .raggedRow(expected: count, found: cells.count) }
    let words = order.map { cells[$0].text.trimmed }
    let kind = Kind(truth: words[0], prediction: words[1])
    guard let cost = Double(words[2]) else { throw .notANumber(words[2]) }
    guard cost.isFinite else { throw .notFinite(cost) }
    guard costs.updateValue(cost, forKey: kind) == nil else { throw .duplicateCost(kind.text) }
  }

  /// Returns the cost of a prediction.
  ///
  /// - Parameters:
  ///   - prediction: The predicted label, ``background`` or ``none``.
  ///   - truth: The true label, or ``background``.
  /// - Returns: The cost.
  public func cost(of prediction: String, truth: String) -> Double {
    if let cost = costs[Kind(truth: truth, prediction: prediction)] { return cost }
    guard truth != prediction else { return 0 }
    let general = [
      Kind(truth: truth, prediction: Self.any), Kind(truth: Self.any, prediction: prediction),
      Kind(truth: Self.any, prediction: Self.any),
    ]
    return general.lazy.compactMap { costs[$0] }.first ?? 1
  }

  /// Whether it is known what an item without a prediction costs.
  package var hasNone: Bool { costs.keys.contains { $0.prediction == Self.none } }

  /// Throws an error if a row has a label that a model does not have.
  ///
  /// - Parameter labels: The labels of the model.
  /// - Throws: A `ModelError` that names the label.
  package func throwIfUnknown(among labels: [String]) throws(ModelError) {
    let special = [Self.any, Self.background, Self.none]
    let used = Set(costs.keys.flatMap { [$0.truth, $0.prediction] }).subtracting(special)
    guard let unknown = used.subtracting(labels).sorted().first else { return }
    throw ModelError(
      .input,
      .invalidValue(
        "the costs have a label '\(unknown, as: "label")' that the model does not have"))
  }
}

extension DataDiagnostic {
  fileprivate static func duplicateCost(_ kind: String) -> DataDiagnostic {
    DataDiagnostic(code: "duplicate-id", message: "the cost of \(quoted(kind)) has several rows")
  }
}
