package import TensorIOJSON

/// A part of a result with named members, such as a line of a text that was read.
///
/// The JSON, the tables, the columns and the text of the result follow from its members:
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
/// ```
///
/// A member that is `nil` is left out of the JSON.
public protocol ResultRecord: ResultValue {
  /// The members, in the order of the JSON.
  static var members: [ResultMember<Self>] { get }
}

extension ResultRecord {
  /// A member of this type of records.
  public typealias Member = ResultMember<Self>

  /// Returns records as a column.
  public static func column(of values: [Self]) -> ResultColumn { recordColumn(of: values) }

  static func recordColumn(of values: [Self]) -> ResultColumn {
    .records(members.map { ResultColumn.Member($0.name, $0.column(values)) })
  }
}

extension ResultValue {
  /// Writes the value as JSON.
  package func write(to writer: inout JSONWriter) {
    Self.column(of: [self]).entryWriter(0, &writer)
  }
}
