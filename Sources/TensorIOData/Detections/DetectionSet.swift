public import TensorIOCore
internal import TensorIOImage
internal import TensorIOSystem

/// Pictures with boxes around what is in them.
///
/// AutoML's tables, COCO's instances, folders of Pascal VOC's, and lines of JSON are read:
///
/// ```swift
/// let data = try DetectionSet(at: "street/annotations.json", labels: bundleLabels)
/// for index in 0..<data.count {
///   print(data.name(at: index), try data.boxes(at: index).count)
/// }
/// ```
///
/// Opening it reads all annotations and the headers of all pictures. A box with a fault makes its
/// picture one that cannot be judged by: asking for it throws the ``problem(at:)``.
public struct DetectionSet: DataItems {
  /// The bytes that a file of annotations may have.
  public static let fileLimit = JSONLimits.maximumBytes

  /// Where the data lies.
  public let path: String
  /// What the indexes of labels mean: those given, else those of the data.
  public let labels: [String]
  /// What is wrong with the data and its pictures.
  public let problems: [Problem]
  /// What was mended or left out, and why.
  public let warnings: [Problem]

  private let pictures: [Picture]
  private var places: [Int]

  private struct Picture: Sendable {
    let name: String
    let path: String
    let part: DataPart?
    var size = PictureSize(width: 0, height: 0)
    var boxes: [AnnotatedBox] = []
    var problem: Problem?
  }

  /// Opens data, whose labels must be among those that are given, if any are.
  ///
  /// Of data with more labels than a model knows, `knownOnly` leaves out the other boxes, and a warning
  /// counts them. Throws when not a single picture is as it should be.
  public init(
    at path: String, labels: [String] = [], knownOnly: Bool = false
  ) throws(ModelError) {
    var log = DataLog()
    do throws(ModelError) {
      var found = try DetectionForms.form(of: path).read(path, &log)
      self.labels = labels.isEmpty ? found.labels : labels
      if knownOnly { found.leaveOutUnknown(among: self.labels, &log) }
      let resolver = BoxResolver(labels: self.labels)
      pictures = found.pictures.map { Self.picture($0, resolver, &log) }
      if pictures.allSatisfy({ $0.problem != nil }) {
        log.addEmptiness()
        try log.check()
      }
    } catch {
      throw error.in(file: path)
    }
    self.path = path
    (problems, warnings) = (log.problems, log.warnings)
    places = Array(pictures.indices)
  }

  private static func picture(
    _ found: FoundPicture, _ resolver: BoxResolver, _ log: inout DataLog
  ) -> Picture {
    var picture = Picture(name: found.name, path: found.path, part: found.part)
    do throws(PlacedFault) {
      (picture.size, picture.boxes) = try resolver.resolve(found, &log)
    } catch {
      let problem = log.problem(error.fault, at: error.place, of: found.name)
      picture.problem = problem
      log.add(problem)
    }
    return picture
  }
}

// MARK: Items

extension DetectionSet {
  /// How many pictures there are.
  public var count: Int { places.count }

  /// What the data calls a picture.
  public func name(at index: Int) -> String { pictures[places[index]].name }

  /// Where a picture lies.
  public func picturePath(at index: Int) -> String { pictures[places[index]].path }

  /// What the data sets a picture apart for.
  public func part(at index: Int) -> DataPart? { pictures[places[index]].part }

  /// What is wrong with a picture or its boxes.
  public func problem(at index: Int) -> Problem? { pictures[places[index]].problem }

  /// The labels that a picture's boxes have.
  public func labelIndexes(at index: Int) -> [Int] {
    Set(pictures[places[index]].boxes.map(\.label)).sorted()
  }

  /// The bytes of a picture's file.
  public func picture(at index: Int) throws(ModelError) -> [UInt8] {
    try check(item: index)
    do throws(ModelError) {
      return try FileBytes.read(
        picturePath(at: index), limit: ImageLimits.fileBytes, stage: .input)
    } catch {
      throw error.in(file: path).at(item: index)
    }
  }

  /// The boxes of a picture, in the order of the data.
  public func boxes(at index: Int) throws(ModelError) -> [AnnotatedBox] {
    try check(item: index)
    return pictures[places[index]].boxes
  }

  /// How large a picture is, upright.
  public func size(at index: Int) throws(ModelError) -> PictureSize {
    try check(item: index)
    return pictures[places[index]].size
  }

  /// The pictures at some places, in that order.
  public func selecting(_ indexes: [Int]) -> DetectionSet {
    var selection = self
    selection.places = indexes.map { places[$0] }
    return selection
  }
}
