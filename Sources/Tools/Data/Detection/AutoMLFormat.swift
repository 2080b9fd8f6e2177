import TensorIOBundle
import TensorIOSystem

/// The import table of AutoML Vision: one row per box, without a header.
///
/// Rows are `set,path,label,xmin,ymin,,,xmax,ymax,,`, or have all four corners. Coordinates are
/// fractions of the image's width and height. A row without label and box is an image without
/// objects.
struct AutoMLFormat: DetectionFormat {
  static let summary = "an AutoML .csv whose rows begin with TRAIN, VALIDATION, TEST or UNASSIGNED"

  /// The number of cells of a row: set, path, label and four corners.
  private static let cellCount = 11
  private static let comma = UInt8(ascii: ",")

  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    guard kind != .directory, path.hasFileExtension(in: ["csv"]) else { return false }
    var reader = CSVReader(FilePrefix.bytes(of: path), separator: comma)
    guard let cells = reader.next()?.cells, let first = cells.first else { return false }
    return DatasetSplit(name: first.text.trimmed) != nil && cells.count <= cellCount
      && cells.count > 1
  }

  static func read(
    _ path: String, _ log: inout DataDiagnosticLog
  ) throws(ModelError) -> ParsedAnnotations {
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
    return ParsedAnnotations(collectingLabelsFrom: table.images)
  }

  private let folder: String
  private var images: [ParsedImage] = []
  /// The index of an image by its name.
  private var indices: [String: Int] = [:]

  private init(folder: String) { self.folder = folder }
}

// MARK: Rows

extension AutoMLFormat {
  private mutating func add(_ cells: [CSVCell]) throws(LocatedDiagnostic) {
    for cell in cells {
      if let diagnostic = cell.diagnostic { throw LocatedDiagnostic(diagnostic, at: cell.location) }
    }
    guard (2...Self.cellCount).contains(cells.count), let first = cells.first else {
      throw LocatedDiagnostic(.wrongCellCount(found: cells.count), at: cells.rowLocation)
    }
    guard let split = DatasetSplit(name: first.text.trimmed) else {
      throw LocatedDiagnostic(.unknownSplit(first.text.trimmed), at: first.location)
    }
    let index = try index(ofImage: cells[1], split)
    guard images[index].error == nil else { return }
    do throws(LocatedDiagnostic) {
      guard let box = try Self.box(cells.dropFirst(2).map(\.self)) else { return }
      images[index].boxes.append(box)
    } catch {
      images[index].error = error
    }
  }

  /// Returns the index of a row's image, which is added if it is new.
  private mutating func index(
    ofImage cell: CSVCell, _ split: DatasetSplit
  ) throws(LocatedDiagnostic) -> Int {
    let name = cell.text.trimmed
    guard !name.isEmpty else { throw LocatedDiagnostic(.missingValue, at: cell.location) }
    if let index = indices[name] {
      if images[index].split != split, images[index].error == nil {
        images[index].error = LocatedDiagnostic(.conflictingSplits(name), at: cell.location)
      }
      return index
    }
    let localName = name.hasPrefix(Self.bucketScheme) ? FilePath.lastComponent(of: name) : name
    var image = ParsedImage(
      name: localName, path: DataPath.resolve(localName, in: folder), location: cell.location)
    image.split = split
    indices[name] = images.count
    images.append(image)
    return images.count - 1
  }

  /// The prefix of Cloud Storage paths.
  private static let bucketScheme = "gs://"

  /// Returns the box of a row's cells from the label on; `nil` if all of them are empty.
  private static func box(_ cells: [CSVCell]) throws(LocatedDiagnostic) -> ParsedBox? {
    guard let label = cells.first, cells.contains(where: { !$0.text.trimmed.isEmpty }) else {
      return nil
    }
    guard !label.text.trimmed.isEmpty else {
      throw LocatedDiagnostic(.missingValue, at: label.location)
    }
    return ParsedBox(
      label: label.text.trimmed, edges: try edges(cells), unit: .normalized,
      location: label.location)
  }

  private static func edges(_ cells: [CSVCell]) throws(LocatedDiagnostic) -> BoxEdges {
    let (left, top) = (try number(cells, 1), try number(cells, 2))
    let (right, bottom) = (try number(cells, 5), try number(cells, 6))
    let others = [(3, right), (4, top), (7, left), (8, bottom)]
    guard others.contains(where: { isFilled(cells, $0.0) }) else {
      return BoxEdges(xmin: left, ymin: top, xmax: right, ymax: bottom)
    }
    for (index, expected) in others where try number(cells, index) != expected {
      throw LocatedDiagnostic(.nonRectangularBox(), at: cells[index].location)
    }
    return BoxEdges(xmin: left, ymin: top, xmax: right, ymax: bottom)
  }

  private static func isFilled(_ cells: [CSVCell], _ index: Int) -> Bool {
    index < cells.count && !cells[index].text.trimmed.isEmpty
  }

  private static func number(_ cells: [CSVCell], _ index: Int) throws(LocatedDiagnostic) -> Double {
    guard isFilled(cells, index) else {
      throw LocatedDiagnostic(
        .missingValue, at: index < cells.count ? cells[index].location : cells.rowLocation)
    }
    let text = cells[index].text.trimmed
    guard let number = Double(text) else {
      throw LocatedDiagnostic(.invalidCoordinate(text), at: cells[index].location)
    }
    guard number.isFinite else {
      throw LocatedDiagnostic(.notFinite(number), at: cells[index].location)
    }
    return number
  }
}

extension CSVCell {
  var location: DataLocation { .text("", line: line, column: column) }
}

extension [CSVCell] {
  /// The location of the row.
  fileprivate var rowLocation: DataLocation { .text("", line: first?.line) }
}
