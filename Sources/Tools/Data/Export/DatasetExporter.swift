public import TensorIOBundle
import TensorIOSystem

/// Writes records in a format that ``ExampleDataset`` or ``DetectionDataset`` reads.
///
/// ```swift
/// import TensorIOData
///
/// let box = AnnotatedBox(labelIndex: 0, xmin: 1, ymin: 2, xmax: 9, ymax: 8)
/// let record = ExportRecord(imagePath: "one.png", boxes: [box])
/// let exporter = DatasetExporter([record], labels: ["cat", "dog"])
/// try exporter.write(.coco, to: "street", copyingImages: true)
/// let data = try DetectionDataset(at: "street")
/// ```
///
/// Writing is atomic. All records are validated before anything is written.
public struct DatasetExporter: Sendable {
  /// The records to write.
  public let records: [ExportRecord]
  /// The label names by index.
  public let labels: [String]
  /// The name of the image column of tables and of the image key of NDJSON files.
  public var imageColumn = "image"
  /// The name of the label column of tables and of the label key of NDJSON files.
  public var labelColumn = "label"

  /// Creates an exporter.
  ///
  /// - Parameters:
  ///   - records: The images with their labels or boxes.
  ///   - labels: The names that the label indices of the records refer to.
  public init(_ records: [ExportRecord], labels: [String]) {
    (self.records, self.labels) = (records, labels)
  }

  /// Writes all records.
  ///
  /// ``ExportFormat/imageFolder`` always copies images. Every other format writes a file that
  /// refers to the original images, or, with `copyingImages`, a folder with the file and `images`.
  ///
  /// - Parameters:
  ///   - format: The format to write.
  ///   - path: The file or folder to create.
  ///   - copyingImages: Whether to copy images next to the file.
  ///   - overwriting: Whether to replace an existing file or folder.
  /// - Throws: `ModelError` with `invalidData` if records cannot be written in the format.
  public func write(
    _ format: ExportFormat, to path: String, copyingImages: Bool = false,
    overwriting: Bool = false
  ) throws(ModelError) {
    let path = FilePath.removingTrailingSlashes(path)
    try validate(for: format, copying: copyingImages)
    if format == .imageFolder {
      return try writeFolder(path, overwriting) { (folder) throws(ModelError) in
        try copyImagesByLabel(to: folder)
      }
    }
    guard copyingImages else { return try writeFile(format, path, overwriting) }
    try writeFolder(path, overwriting) { (folder) throws(ModelError) in
      let names = try copyImages(to: folder)
      let bytes = try text(of: format, naming: names)
      try FileWriting.at(path) { () throws(FileError) in
        try AtomicFile.write(bytes, to: "\(folder)/\(format.fileName)", isDurable: false)
      }
    }
  }

  private func writeFile(
    _ format: ExportFormat, _ path: String, _ overwriting: Bool
  ) throws(ModelError) {
    guard overwriting || FileKind(at: path, followingSymlinks: false) == nil else {
      throw ModelError(.output, .alreadyExists(path))
    }
    let folder = FilePath.parent(of: path)
    let bytes = try text(
      of: format, naming: records.map { DataPath.relativePath(of: $0.imagePath, from: folder) })
    try FileWriting.at(path) { () throws(FileError) in try AtomicFile.write(bytes, to: path) }
  }

  private func writeFolder(
    _ path: String, _ overwriting: Bool, _ fill: (String) throws(ModelError) -> Void
  ) throws(ModelError) {
    do throws(ModelError) {
      try AtomicDirectoryWriter.write(path, overwriting: overwriting, fill)
    } catch {
      // Errors about copied images keep the input stage; the rest concern the output.
      throw error.stage == .run ? ModelError(.output, error.reason, file: error.file) : error
    }
  }

  private func text(
    of format: ExportFormat, naming images: [String]
  ) throws(ModelError) -> [UInt8] {
    switch format {
    case .csv: table(images)
    case .autoML: try autoMLTable(images)
    case .coco: try cocoDocument(images)
    case .ndjson, .imageFolder: lines(images)
    }
  }
}

extension ExportFormat {
  /// The name of the file in a folder with copied images.
  fileprivate var fileName: String {
    switch self {
    case .csv, .autoML: "data.csv"
    case .coco: COCOFormat.defaultFileNames[0]
    case .ndjson, .imageFolder: "data.ndjson"
    }
  }
}

/// Converts file errors to model errors.
enum FileWriting {
  static func at<Value>(
    _ path: String, _ body: () throws(FileError) -> Value
  ) throws(ModelError) -> Value {
    do throws(FileError) {
      return try body()
    } catch {
      throw ModelError(.output, .unwritable(path, detail: error.message))
    }
  }
}

/// An image with its labels or boxes.
public struct ExportRecord: Sendable, Hashable {
  /// The path of the image.
  public var imagePath: String
  /// The label indices of the entire image.
  public var labelIndices: [Int]
  /// The boxes in the image.
  public var boxes: [AnnotatedBox]
  /// The split that the image is assigned to.
  public var split: DatasetSplit?

  /// Creates a record with labels, boxes or neither.
  public init(
    imagePath: String, labelIndices: [Int] = [], boxes: [AnnotatedBox] = [],
    split: DatasetSplit? = nil
  ) {
    self.imagePath = imagePath
    self.labelIndices = labelIndices
    self.boxes = boxes
    self.split = split
  }
}

/// A file format for exported records.
public enum ExportFormat: String, Sendable, Hashable, CaseIterable {
  /// A folder with a folder of images per label.
  case imageFolder = "folder"
  /// A table with an image and its label per row.
  case csv
  /// An AutoML table with a box per row.
  case autoML = "automl"
  /// A COCO instances file.
  case coco
  /// A JSON object per line, with an image and its label or its boxes.
  case ndjson
}

extension DatasetExporter {
  /// Throws all reasons why the records cannot be written, with the paths of their images.
  func validate(for format: ExportFormat, copying: Bool) throws(ModelError) {
    var log = DataDiagnosticLog()
    if records.isEmpty { log.addEmptyDataError() }
    for label in labels where !Self.roundTrips(label) || !format.canWrite(label: label) {
      log.add(.unwritableLabel(label), path: "")
    }
    for label in Self.duplicates(in: labels) { log.add(.duplicateLabel(label), path: "") }
    for record in records {
      guard let diagnostic = diagnostic(for: record, format: format, copying) else { continue }
      log.add(diagnostic, path: record.imagePath)
    }
    try log.throwIfAny()
  }

  /// Returns each label that occurs more than once, in the order of the second occurrences.
  private static func duplicates(in labels: [String]) -> [String] {
    var counts: [String: Int] = [:]
    return labels.filter { label in
      counts[label, default: 0] += 1
      return counts[label] == 2
    }
  }

  private func diagnostic(
    for record: ExportRecord, format: ExportFormat, _ copying: Bool
  ) -> DataDiagnostic? {
    let used = record.labelIndices + record.boxes.map(\.labelIndex)
    if let index = used.first(where: { !labels.indices.contains($0) }) {
      return .labelOutOfRange("\(index)", count: labels.count)
    }
    if !copying, format != .imageFolder, !Self.roundTrips(record.imagePath) {
      return .unwritableName(record.imagePath)
    }
    return format.diagnostic(for: record)
  }

  /// Returns whether a text is unchanged after writing and reading it.
  private static func roundTrips(_ text: String) -> Bool {
    !text.isEmpty && text == text.trimmed
      && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}

extension ExportFormat {
  /// Returns whether a label can be written; not every label is a valid folder name.
  fileprivate func canWrite(label: String) -> Bool {
    self != .imageFolder
      || !label.hasPrefix(".") && !label.contains("/")
        && label.utf8.count <= UniqueFileName.maxBytes
  }

  fileprivate func diagnostic(for record: ExportRecord) -> DataDiagnostic? {
    switch self {
    case .imageFolder, .csv: record.hasSingleLabel ? nil : .singleLabelRequired
    case .ndjson: record.hasSingleLabel || record.labelIndices.isEmpty ? nil : .singleLabelRequired
    case .autoML, .coco: record.labelIndices.isEmpty ? nil : .boxesRequired
    }
  }
}

extension ExportRecord {
  /// Whether the record has exactly one label and no boxes.
  var hasSingleLabel: Bool { labelIndices.count == 1 && boxes.isEmpty }
}

extension DataDiagnostic {
  fileprivate static func unwritableLabel(_ label: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "unwritable-label", message: "label \(quoted(label)) cannot be written in this format")
  }

  fileprivate static func unwritableName(_ name: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "unwritable-name", message: "image path \(quoted(name)) cannot be written",
      suggestion: "copy the images, which gives them valid names")
  }

  fileprivate static let singleLabelRequired = DataDiagnostic(
    code: "single-label-required",
    message: "the format requires exactly one label per image and no boxes")

  fileprivate static let boxesRequired = DataDiagnostic(
    code: "boxes-required", message: "the format stores boxes and no labels of entire images")
}

extension DetectionDataset {
  /// Returns an image and its boxes as a record for ``DatasetExporter``.
  public func record(at index: Int) throws(ModelError) -> ExportRecord {
    ExportRecord(
      imagePath: imagePath(at: index), boxes: try boxes(at: index), split: split(at: index))
  }
}
