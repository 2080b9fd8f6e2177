public import TensorIOBundle
import TensorIOSystem

/// Writes records in a form that ``ExampleDataset`` or ``DetectionDataset`` reads.
///
/// ```swift
/// let export = DatasetExporter(records, labels: ["cat", "dog"])
/// try export.write(.coco, to: "street", copyingPictures: true)
/// let data = try DetectionDataset(at: "street")
/// ```
///
/// Whatever is written appears complete or not at all. All that keeps records from being written is
/// told first, together.
public struct DatasetExporter: Sendable {
  /// What is written.
  public let records: [ExportRecord]
  /// What the indexes of labels mean.
  public let labels: [String]
  /// What tables and lines call a picture.
  public var imageColumn = "image"
  /// What tables and lines call a label.
  public var labelColumn = "label"

  /// Records and the labels that they have indexes of.
  public init(_ records: [ExportRecord], labels: [String]) {
    (self.records, self.labels) = (records, labels)
  }

  /// Writes all records to a path.
  ///
  /// A labelled folder always holds copies of the pictures. Every other form is a file, which names
  /// the pictures where they lie; with copies, it is a folder of that file and of `images`.
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
        try AtomicFile.write(bytes, to: "\(folder)/\(format.fileName)")
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
      // What concerns the pictures that are copied is of the input, the rest of this one.
      throw error.stage == .run ? ModelError(.output, error.reason, file: error.file) : error
    }
  }

  private func text(
    of format: ExportFormat, naming pictures: [String]
  ) throws(ModelError) -> [UInt8] {
    switch format {
    case .csv: table(pictures)
    case .autoML: try autoMLTable(pictures)
    case .coco: try cocoDocument(pictures)
    case .ndjson, .imageFolder: lines(pictures)
    }
  }
}

extension ExportFormat {
  /// What the file is called that lies in a folder with the pictures.
  fileprivate var fileName: String {
    switch self {
    case .csv, .autoML: "data.csv"
    case .coco: COCOFormat.defaultFileNames[0]
    case .ndjson, .imageFolder: "data.ndjson"
    }
  }
}

/// Does something with files, and says at which path it failed.
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

/// A picture and what is known of it, to be written.
public struct ExportRecord: Sendable, Hashable {
  /// Where the picture lies.
  public var imagePath: String
  /// What the picture shows as a whole, as indexes of labels.
  public var labelIndices: [Int]
  /// What is where in the picture.
  public var boxes: [AnnotatedBox]
  /// What the picture is set apart for.
  public var split: DatasetSplit?

  /// A picture with labels, boxes or neither.
  public init(
    imagePath: String, labelIndices: [Int] = [], boxes: [AnnotatedBox] = [], split: DatasetSplit? = nil
  ) {
    self.imagePath = imagePath
    self.labelIndices = labelIndices
    self.boxes = boxes
    self.split = split
  }
}

/// A form in which records are written.
public enum ExportFormat: String, Sendable, Hashable, CaseIterable {
  /// A folder of pictures per label.
  case imageFolder = "folder"
  /// A table with a picture and its label per row.
  case csv
  /// AutoML's table, with a box per row.
  case autoML = "automl"
  /// COCO's instances.
  case coco
  /// An object per line, with a picture and its label or its boxes.
  case ndjson
}

extension DatasetExporter {
  /// Throws all that keeps the records from being written, with the pictures it concerns.
  func validate(for format: ExportFormat, copying: Bool) throws(ModelError) {
    var log = DataDiagnosticLog()
    if records.isEmpty { log.addEmptyDataError() }
    for label in labels where !Self.roundTrips(label) || !format.canWrite(label: label) {
      log.add(.unsafeLabel(label), path: "")
    }
    for (label, _) in Dictionary(grouping: labels, by: \.self).filter({ $1.count > 1 }) {
      log.add(.duplicateLabel(label), path: "")
    }
    for record in records {
      guard let fault = diagnostic(for: record, format: format, copying) else { continue }
      log.add(fault, path: record.imagePath)
    }
    try log.throwIfAny()
  }

  private func diagnostic(
    for record: ExportRecord, format: ExportFormat, _ copying: Bool
  ) -> DataDiagnostic? {
    let used = record.labelIndices + record.boxes.map(\.labelIndex)
    if let stray = used.first(where: { !labels.indices.contains($0) }) {
      return .labelOutOfRange("\(stray)", count: labels.count)
    }
    if !copying, format != .imageFolder, !Self.roundTrips(record.imagePath) {
      return .unsafeName(record.imagePath)
    }
    return format.diagnostic(for: record)
  }

  /// Whether a text is the same once it has been written and read.
  private static func roundTrips(_ text: String) -> Bool {
    !text.isEmpty && text == text.trimmed
      && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}

extension ExportFormat {
  /// Whether a label can be written; as a folder's name, not every one can.
  fileprivate func canWrite(label: String) -> Bool {
    self != .imageFolder
      || !label.hasPrefix(".") && !label.contains("/") && label.utf8.count <= UniqueFileName.maxBytes
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
  /// Whether all that is known is a single label.
  var hasSingleLabel: Bool { labelIndices.count == 1 && boxes.isEmpty }
}

extension DataDiagnostic {
  fileprivate static func unsafeLabel(_ label: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "unsafe-label", message: "The label \(quoted(label)) cannot be written in this form.")
  }

  fileprivate static func unsafeName(_ name: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "unsafe-name", message: "The picture's name \(quoted(name)) cannot be written.",
      suggestion: "copy the pictures, which gives them names that can")
  }

  fileprivate static let singleLabelRequired = DataDiagnostic(
    code: "not-one-label", message: "This form has exactly one label for a picture, and no boxes.")

  fileprivate static let boxesRequired = DataDiagnostic(
    code: "not-boxes", message: "This form has boxes, and no labels for pictures as a whole.")
}

extension DetectionDataset {
  /// A picture with its boxes, to be written in another form.
  public func record(at index: Int) throws(ModelError) -> ExportRecord {
    ExportRecord(
      imagePath: imagePath(at: index), boxes: try boxes(at: index), split: split(at: index))
  }
}
