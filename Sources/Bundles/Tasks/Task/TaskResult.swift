public import TensorIOBundle
public import TensorIOImage
package import TensorIOJSON

/// The result of a task, which replaces the raw outputs it was decoded from.
///
/// Only the name and the content have to be written. What the command line prints, the server sends, and Python and C read
/// follows from them, unless a result says it better:
///
/// ```swift
/// import TensorIO
///
/// struct Line: ResultRecord {
///   let text: String
///   let score: Float
///
///   static let members = [Member("text", \.text), Member("score", \.score)]
/// }
///
/// struct Lines: TaskResult {
///   let content: [Line]
///
///   var key: String { "lines" }
/// }
/// ```
public protocol TaskResult: ResultValue {
  /// A number, a text, an image, a record, or a list of these.
  associatedtype Content: ResultValue

  /// The name of the result among the outputs, such as `detections`.
  var key: String { get }

  /// The result as a value.
  var content: Content { get }

  /// The result as lines of text, for a terminal.
  var textLines: [String] { get }

  /// The result as rows of a table.
  var tableRows: [ResultRow] { get }

  /// The result in one line, for streams.
  var summary: String { get }

  /// Inconsistencies in the outputs, one per line.
  var notes: [String] { get }

  /// Whether a stream has a record of the result, which is false for windows in which nothing happens.
  var isReported: Bool { get }

  /// What to draw on the image to show the result.
  var overlay: Overlay { get }

  /// The JSON of the result that does not follow from its columns; `nil` if there is none.
  var json: ResultJSON? { get }

  /// Returns the subject of the result in an image, which is transparent elsewhere; `nil` for results
  /// without one.
  func cutOut(from image: ImageBuffer) throws(ModelError) -> ImageBuffer?
}

extension TaskResult where Self: ResultRecord {
  /// The result itself, which is a record.
  public var content: Self { self }

  /// Returns results as a column.
  public static func column(of values: [Self]) -> ResultColumn { recordColumn(of: values) }
}

extension TaskResult {
  /// Returns results as a column.
  public static func column(of values: [Self]) -> ResultColumn {
    Content.column(of: values.map(\.content))
  }

  /// The lines of the entries, after the name.
  public var textLines: [String] {
    let (column, range) = column.elements(of: 0)
    let text = column.entryText
    return ["  \(key)"] + (range.isEmpty ? ["    none"] : range.map { "    \(text($0))" })
  }

  /// A row for each value.
  public var tableRows: [ResultRow] {
    let (column, range) = column.elements(of: 0)
    return column.tableRows(range, named: key)
  }

  /// The entries, separated by commas.
  public var summary: String {
    let (column, range) = column.elements(of: 0)
    return range.map(column.entryText).joined(separator: ", ")
  }

  /// No inconsistencies.
  public var notes: [String] { [] }

  /// All results are reported.
  public var isReported: Bool { true }

  /// Nothing to draw.
  public var overlay: Overlay { Overlay() }

  /// The JSON follows from the columns.
  public var json: ResultJSON? { nil }

  /// Returns `nil`: the result has no subject.
  public func cutOut(from image: ImageBuffer) throws(ModelError) -> ImageBuffer? { nil }

  /// The result as a column with one entry.
  package var column: ResultColumn { Self.column(of: [self]) }

  /// Writes the result as JSON.
  package func write(to writer: inout JSONWriter) {
    guard let write = json?.content else { return column.entryWriter(0, &writer) }
    write(&writer)
  }
}
