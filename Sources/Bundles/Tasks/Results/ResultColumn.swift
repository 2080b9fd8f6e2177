public import TensorIOCore
public import TensorIOImage

/// Values of results by column, as tables, numpy and Arrow have them.
///
/// A column has an entry for each item, which is one kind of value. The results of a batch are one column,
/// whose entries are the results:
///
/// ```swift
/// import TensorIO
///
/// let model = try Model(at: "detector.tiobundle")
/// let output = try model.run(ImageBuffer(contentsOf: "street.jpg"))
/// if case .lists(let ends, of: .records(let members))? = try output.resultColumn {
///   print(ends, members.map(\.name))
/// }
/// ```
@nonexhaustive
public indirect enum ResultColumn: Sendable, Equatable {
  /// Numbers, of one dimension.
  case numbers(Numbers)
  /// Texts.
  case texts([String])
  /// Images, which JSON has as PNG in Base64.
  case images([ImageBuffer])
  /// Lists, whose elements follow each other in a column; the end of each list in it.
  case lists(ends: [Int], of: ResultColumn)
  /// Records, whose members are columns of the same length.
  case records([Member])
  /// Values that may be missing: whether each is present, and those that are.
  case optionals(isPresent: [Bool], of: ResultColumn)

  /// A named column of records.
  public struct Member: Sendable, Equatable {
    /// The name.
    public let name: String
    /// The values, one for each record.
    public let column: ResultColumn

    /// Creates a member.
    public init(_ name: String, _ column: ResultColumn) {
      (self.name, self.column) = (name, column)
    }
  }

  /// The number of entries.
  public var count: Int {
    switch self {
    case .numbers(let numbers): numbers.count
    case .texts(let texts): texts.count
    case .images(let images): images.count
    case .lists(let ends, of: _): ends.count
    case .records(let members): members.first?.column.count ?? 0
    case .optionals(let isPresent, of: _): isPresent.count
    }
  }

  /// Whether there are entries, all of which are missing.
  var isMissing: Bool {
    guard case .optionals(let isPresent, of: _) = self else { return false }
    return !isPresent.isEmpty && !isPresent.contains(true)
  }
}
