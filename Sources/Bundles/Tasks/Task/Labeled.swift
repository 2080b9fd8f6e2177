public import TensorIOBundle
public import TensorIOCore

/// The labels of a bundle as an enumeration, whose raw values are the texts of the labels.
///
/// `tensorio swift` makes such enumerations:
///
/// ```swift
/// import TensorIO
///
/// enum Shape: String, ModelLabel {
///   case circle, square
///   case starOfDavid = "star of David"
/// }
/// ```
public protocol ModelLabel: RawRepresentable, CaseIterable, Hashable, Sendable,
  CustomStringConvertible
where RawValue == String {}

extension ModelLabel {
  /// The text of the label.
  public var description: String { rawValue }
}

/// A part of a result that has the text of a label.
public protocol LabeledResult: Sendable, Hashable {
  /// The text of the label.
  var label: String { get }
}

extension Classification.Entry: LabeledResult {}
extension LabeledInterval: LabeledResult {}
extension Detection: LabeledResult {}
extension Segmentation.Region: LabeledResult {}

/// A part of a result with its label as a case of an enumeration.
///
/// The other properties are those of the result:
///
/// ```swift
/// import TensorIO
///
/// enum Animal: String, ModelLabel { case cat, dog }
///
/// let model = try Model(at: "detector.tiobundle")
/// let detections = try model.run(ImageBuffer(contentsOf: "garden.jpg")).detections
/// for animal in try detections.labeled(by: Animal.self) where animal.label == .cat {
///   print(animal.score, animal.box)
/// }
/// ```
@dynamicMemberLookup
public struct Labeled<Result: LabeledResult, Label: ModelLabel>: Sendable, Hashable {
  /// The label.
  public let label: Label
  /// The result, whose label is a text.
  public let result: Result

  /// Creates a result with the case for the text of its label.
  ///
  /// - Parameter result: The result.
  /// - Throws: A ``ModelError`` of the stage `output` if the enumeration has no such label.
  public init(_ result: Result) throws(ModelError) {
    guard let label = Label(rawValue: result.label) else {
      throw ModelError(
        .output, .wrongType(expected: "a label of \(Label.self)", actual: "'\(result.label)'"))
    }
    (self.label, self.result) = (label, result)
  }

  /// A property of the result.
  public subscript<Value>(dynamicMember member: KeyPath<Result, Value>) -> Value {
    result[keyPath: member]
  }
}

extension Sequence where Element: LabeledResult {
  /// Returns the results with their labels as cases of an enumeration.
  ///
  /// - Parameter type: The enumeration.
  /// - Returns: The results, in order.
  /// - Throws: A ``ModelError`` of the stage `output` if the enumeration lacks a label.
  public func labeled<Label: ModelLabel>(
    by type: Label.Type
  ) throws(ModelError) -> [Labeled<Element, Label>] {
    var results: [Labeled<Element, Label>] = []
    for element in self { results.append(try Labeled(element)) }
    return results
  }
}
