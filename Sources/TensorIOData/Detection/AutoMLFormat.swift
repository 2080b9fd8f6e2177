import TensorIOBundle
import TensorIOSystem

/// The table that AutoML Vision imports: a row per box, without a header.
///
/// `set,path,label,xmin,ymin,,,xmax,ymax,,`, or with all four corners; coordinates are fractions of
/// the picture's sides. A row without label and box is a picture in which there is nothing.
struct AutoMLFormat: DetectionFormat {
  static let summary = "an AutoML .csv whose rows begin with TRAIN, VALIDATION, TEST or UNASSIGNED"

  /// How many cells a row has: set, path, label, and four corners.
  private static let cellCount = 11
  private static let comma = UInt8(ascii: ",")

  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    guard kind != .directory, path.hasFileExtension(in: ["csv"]) else { return false }
    var reader = CSVReader(FilePrefix.bytes(of: path), separator: comma)
    guard let cells = reader.next()?.cells, let first = cells.first else { return false }
    return DatasetSplit(name: first.text.trimmed) != nil && cells.count <= cellCount
      && cells.count > 1
  }

  static func read(_ path: String, _ log: inout DataDiagnosticLog) throws(ModelError) -> ParsedAnnotations {
    let bytes = try FileBytes.read(
      path, limit: DetectionDataset.maxAnnotationBytes, .any, stage: .input)
    var reader = CSVReader(bytes, separator: comma)
    var table = AutoMLFormat(folder: path.parentDirectory)
    while let row = reader.next() {
      do throws(LocatedDiagnostic) {
        try table.add(row.cells)
      } catch {
        log.add(error)
      }
    }
    return ParsedAnnotations(collectingLabelsFrom: table.pictures)
  }

  private let folder: String
  private var pictures: [ParsedImage] = []
  /// Where a picture is among the pictures.
  private var places: [String: Int] = [:]

  private init(folder: String) { self.folder = folder }
}

// MARK: Rows

extension AutoMLFormat {
  private mutating func add(_ cells: [CSVCell]) throws(LocatedDiagnostic) {
    for cell in cells { if let fault = cell.diagnostic { throw LocatedDiagnostic(fault, at: cell.place) } }
    guard (2...Self.cellCount).contains(cells.count), let first = cells.first else {
      throw LocatedDiagnostic(.wrongCellCount(found: cells.count), at: cells.rowPlace)
    }
    guard let part = DatasetSplit(name: first.text.trimmed) else {
      throw LocatedDiagnostic(.unknownSplit(first.text.trimmed), at: first.place)
    }
    let index = try place(ofPicture: cells[1], part)
    guard pictures[index].error == nil else { return }
    do throws(LocatedDiagnostic) {
      guard let box = try Self.box(cells.dropFirst(2).map(\.self)) else { return }
      pictures[index].boxes.append(box)
    } catch {
      pictures[index].error = error
    }
  }

  private mutating func place(
    ofPicture cell: CSVCell, _ part: DatasetSplit
  ) throws(LocatedDiagnostic) -> Int {
    let name = cell.text.trimmed
    guard !name.isEmpty else { throw LocatedDiagnostic(.missingValue, at: cell.place) }
    if let index = places[name] {
      if pictures[index].split != part, pictures[index].error == nil {
        pictures[index].error = LocatedDiagnostic(.conflictingSplits(name), at: cell.place)
      }
      return index
    }
    let near = name.hasPrefix(Self.bucket) ? DataPath.lastComponent(of: name) : name
    var picture = ParsedImage(
      name: near, path: DataPath.resolve(near, in: folder), location: cell.place)
    picture.split = part
    places[name] = pictures.count
    pictures.append(picture)
    return pictures.count - 1
  }

  /// What paths in the cloud begin with.
  private static let bucket = "gs://"

  /// The box of a row's cells from the label on; `nil` when all of them are empty.
  private static func box(_ cells: [CSVCell]) throws(LocatedDiagnostic) -> ParsedBox? {
    guard let label = cells.first, cells.contains(where: { !$0.text.trimmed.isEmpty }) else {
      return nil
    }
    guard !label.text.trimmed.isEmpty else { throw LocatedDiagnostic(.missingValue, at: label.place) }
    return ParsedBox(
      label: label.text.trimmed, edges: try edges(cells), unit: .normalized, location: label.place)
  }

  private static func edges(_ cells: [CSVCell]) throws(LocatedDiagnostic) -> BoxEdges {
    let (left, top) = (try number(cells, 1), try number(cells, 2))
    let (right, bottom) = (try number(cells, 5), try number(cells, 6))
    let others = [(3, right), (4, top), (7, left), (8, bottom)]
    guard others.contains(where: { isFilled(cells, $0.0) }) else {
      return BoxEdges(xmin: left, ymin: top, xmax: right, ymax: bottom)
    }
    for (index, expected) in others where try number(cells, index) != expected {
      throw LocatedDiagnostic(.nonRectangularBox(), at: cells[index].place)
    }
    return BoxEdges(xmin: left, ymin: top, xmax: right, ymax: bottom)
  }

  private static func isFilled(_ cells: [CSVCell], _ index: Int) -> Bool {
    index < cells.count && !cells[index].text.trimmed.isEmpty
  }

  private static func number(_ cells: [CSVCell], _ index: Int) throws(LocatedDiagnostic) -> Double {
    guard isFilled(cells, index) else {
      throw LocatedDiagnostic(
        .missingValue, at: index < cells.count ? cells[index].place : cells.rowPlace)
    }
    let text = cells[index].text.trimmed
    guard let number = Double(text) else {
      throw LocatedDiagnostic(.invalidCoordinate(text), at: cells[index].place)
    }
    guard number.isFinite else { throw LocatedDiagnostic(.notFinite(number), at: cells[index].place) }
    return number
  }
}

extension CSVCell {
  var place: DataLocation { .text("", line: line, column: column) }
}

extension [CSVCell] {
  /// Where the row is that the cells are of.
  fileprivate var rowPlace: DataLocation { .text("", line: first?.line) }
}
