internal import TensorIOCore
internal import TensorIOSystem

/// The table that AutoML Vision imports: a row per box, without a header.
///
/// `set,path,label,xmin,ymin,,,xmax,ymax,,`, or with all four corners; coordinates are fractions of
/// the picture's sides. A row without label and box is a picture in which there is nothing.
struct AutoMLTable: DetectionForm {
  static let files = "an AutoML .csv whose rows begin with TRAIN, VALIDATION, TEST or UNASSIGNED"

  /// How many cells a row has: set, path, label, and four corners.
  private static let cellCount = 11
  private static let comma = UInt8(ascii: ",")

  static func reads(_ path: String, _ kind: FileKind) -> Bool {
    guard kind != .folder, path.hasEnding(["csv"]) else { return false }
    var reader = TableReader(Beginning.bytes(of: path), separator: comma)
    guard let cells = reader.next()?.cells, let first = cells.first else { return false }
    return DataPart(name: first.text.trimmed) != nil && cells.count <= cellCount
      && cells.count > 1
  }

  static func read(_ path: String, _ log: inout DataLog) throws(ModelError) -> FoundPictures {
    let bytes = try FileBytes.read(
      path, limit: DetectionSet.fileLimit, .anything, stage: .input)
    var reader = TableReader(bytes, separator: comma)
    var table = AutoMLTable(folder: path.folder)
    while let row = reader.next() {
      do throws(PlacedFault) {
        try table.add(row.cells)
      } catch {
        log.add(error)
      }
    }
    return FoundPictures(labelledByBoxes: table.pictures)
  }

  private let folder: String
  private var pictures: [FoundPicture] = []
  /// Where a picture is among the pictures.
  private var places: [String: Int] = [:]

  private init(folder: String) { self.folder = folder }
}

// MARK: Rows

extension AutoMLTable {
  private mutating func add(_ cells: [TableCell]) throws(PlacedFault) {
    for cell in cells { if let fault = cell.fault { throw PlacedFault(fault, at: cell.place) } }
    guard (2...Self.cellCount).contains(cells.count), let first = cells.first else {
      throw PlacedFault(.wrongCells(found: cells.count), at: cells.rowPlace)
    }
    guard let part = DataPart(name: first.text.trimmed) else {
      throw PlacedFault(.unknownPart(first.text.trimmed), at: first.place)
    }
    let index = try place(ofPicture: cells[1], part)
    guard pictures[index].fault == nil else { return }
    do throws(PlacedFault) {
      guard let box = try Self.box(cells.dropFirst(2).map(\.self)) else { return }
      pictures[index].boxes.append(box)
    } catch {
      pictures[index].fault = error
    }
  }

  private mutating func place(
    ofPicture cell: TableCell, _ part: DataPart
  ) throws(PlacedFault) -> Int {
    let name = cell.text.trimmed
    guard !name.isEmpty else { throw PlacedFault(.missingValue, at: cell.place) }
    if let index = places[name] {
      if pictures[index].part != part, pictures[index].fault == nil {
        pictures[index].fault = PlacedFault(.conflictingParts(name), at: cell.place)
      }
      return index
    }
    let near = name.hasPrefix(Self.bucket) ? DataPath.last(of: name) : name
    var picture = FoundPicture(
      name: near, path: DataPath.resolve(near, in: folder), at: cell.place)
    picture.part = part
    places[name] = pictures.count
    pictures.append(picture)
    return pictures.count - 1
  }

  /// What paths in the cloud begin with.
  private static let bucket = "gs://"

  /// The box of a row's cells from the label on; `nil` when all of them are empty.
  private static func box(_ cells: [TableCell]) throws(PlacedFault) -> FoundBox? {
    guard let label = cells.first, cells.contains(where: { !$0.text.trimmed.isEmpty }) else {
      return nil
    }
    guard !label.text.trimmed.isEmpty else { throw PlacedFault(.missingValue, at: label.place) }
    return FoundBox(
      label: label.text.trimmed, edges: try edges(cells), unit: .fractions, place: label.place)
  }

  private static func edges(_ cells: [TableCell]) throws(PlacedFault) -> BoxEdges {
    let (left, top) = (try number(cells, 1), try number(cells, 2))
    let (right, bottom) = (try number(cells, 5), try number(cells, 6))
    let others = [(3, right), (4, top), (7, left), (8, bottom)]
    guard others.contains(where: { isFilled(cells, $0.0) }) else {
      return BoxEdges(xmin: left, ymin: top, xmax: right, ymax: bottom)
    }
    for (index, expected) in others where try number(cells, index) != expected {
      throw PlacedFault(.notARectangle(), at: cells[index].place)
    }
    return BoxEdges(xmin: left, ymin: top, xmax: right, ymax: bottom)
  }

  private static func isFilled(_ cells: [TableCell], _ index: Int) -> Bool {
    index < cells.count && !cells[index].text.trimmed.isEmpty
  }

  private static func number(_ cells: [TableCell], _ index: Int) throws(PlacedFault) -> Double {
    guard isFilled(cells, index) else {
      throw PlacedFault(
        .missingValue, at: index < cells.count ? cells[index].place : cells.rowPlace)
    }
    let text = cells[index].text.trimmed
    guard let number = Double(text) else {
      throw PlacedFault(.notACoordinate(text), at: cells[index].place)
    }
    guard number.isFinite else { throw PlacedFault(.notFinite(number), at: cells[index].place) }
    return number
  }
}

extension TableCell {
  var place: DataPlace { .text("", line: line, column: column) }
}

extension [TableCell] {
  /// Where the row is that the cells are of.
  fileprivate var rowPlace: DataPlace { .text("", line: first?.line) }
}
