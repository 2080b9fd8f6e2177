public import TensorIOCore
internal import TensorIOSystem

/// Pictures that have a label, or wait for one, whatever model they are for.
///
/// Where a ``DataSet`` gives the layers of a model their values, and is opened whole or not at all, this
/// is the list itself: a picture that cannot be read is a problem of its own, and a label is optional.
///
/// ```swift
/// let pictures = try LabelledPictures(at: "animals")
/// for index in 0..<pictures.count where pictures.problem(at: index) == nil {
///   print(pictures.name(at: index), pictures.labelIndexes(at: index).map { pictures.labels[$0] })
/// }
/// ```
///
/// It reads a folder of pictures, a folder of them per label, tables with a column `image` and lines of
/// JSON with a key of that name; `label` and `set` may stand beside it.
public struct LabelledPictures: DataItems {
  /// Where the pictures are told of.
  public let path: String
  /// All labels, in byte order.
  public let labels: [String]
  /// What is wrong with the list and its pictures.
  public let problems: [Problem]
  /// What was left out, and why.
  public let warnings: [Problem]

  private let pictures: [Picture]
  private var places: [Int]

  struct Picture: Sendable {
    let name: String
    let path: String
    var label: String?
    var part: DataPart?
    var problem: Problem?
  }

  /// Opens a list; throws when not a single picture can be read.
  public init(at path: String) throws(ModelError) {
    var log = DataLog()
    do throws(ModelError) {
      var pictures = try LabelledLists.read(path, &log)
      for index in pictures.indices { Self.check(&pictures[index], &log) }
      if pictures.allSatisfy({ $0.problem != nil }) {
        log.addEmptiness()
        try log.check()
      }
      self.pictures = pictures
    } catch {
      throw error.in(file: path)
    }
    self.path = path
    labels = Set(pictures.compactMap(\.label)).sorted {
      $0.utf8.lexicographicallyPrecedes($1.utf8)
    }
    (problems, warnings) = (log.problems, log.warnings)
    places = Array(pictures.indices)
  }

  private static func check(_ picture: inout Picture, _ log: inout DataLog) {
    guard picture.problem == nil, let fault = PictureCheck.fault(of: picture.path) else { return }
    let problem = fault.at(path: picture.name)
    picture.problem = problem
    log.add(problem)
  }
}

// MARK: Items

extension LabelledPictures {
  /// How many pictures there are.
  public var count: Int { places.count }

  /// What the list calls a picture.
  public func name(at index: Int) -> String { pictures[places[index]].name }

  /// Where a picture lies.
  public func picturePath(at index: Int) -> String { pictures[places[index]].path }

  /// What the list sets a picture apart for.
  public func part(at index: Int) -> DataPart? { pictures[places[index]].part }

  /// What is wrong with a picture.
  public func problem(at index: Int) -> Problem? { pictures[places[index]].problem }

  /// The label of a picture, if it has one.
  public func labelIndexes(at index: Int) -> [Int] {
    pictures[places[index]].label.flatMap(labels.firstIndex(of:)).map { [$0] } ?? []
  }

  /// A picture with its label, to be written in another form.
  public func record(at index: Int) throws(ModelError) -> DataRecord {
    try check(item: index)
    return DataRecord(
      picture: picturePath(at: index), labels: labelIndexes(at: index), part: part(at: index))
  }

  /// The pictures at some places, in that order.
  public func selecting(_ indexes: [Int]) -> LabelledPictures {
    var selection = self
    selection.places = indexes.map { places[$0] }
    return selection
  }
}
