public import TensorIOCore
internal import TensorIOSystem

/// Writes records in a form that ``DataSet`` or ``DetectionSet`` reads.
///
/// ```swift
/// let export = DataExport(records, labels: ["cat", "dog"])
/// try export.write(.coco, to: "street", copyingPictures: true)
/// let data = try DetectionSet(at: "street")
/// ```
///
/// Whatever is written appears complete or not at all. All that keeps records from being written is
/// told first, together.
public struct DataExport: Sendable {
  /// What is written.
  public let records: [DataRecord]
  /// What the indexes of labels mean.
  public let labels: [String]
  /// What tables and lines call a picture.
  public var pictureName = "image"
  /// What tables and lines call a label.
  public var labelName = "label"

  /// Records and the labels that they have indexes of.
  public init(_ records: [DataRecord], labels: [String]) {
    (self.records, self.labels) = (records, labels)
  }

  /// Writes all records to a path.
  ///
  /// A labelled folder always holds copies of the pictures. Every other form is a file, which names
  /// the pictures where they lie; with copies, it is a folder of that file and of `images`.
  public func write(
    _ format: DataFormat, to path: String, copyingPictures: Bool = false,
    overwriting: Bool = false
  ) throws(ModelError) {
    let path = FilePath.withoutTrailingSlashes(path)
    try check(for: format, copying: copyingPictures)
    if format == .labelledFolder {
      return try writeFolder(path, overwriting) { (folder) throws(ModelError) in
        try copyPerLabel(to: folder)
      }
    }
    guard copyingPictures else { return try writeFile(format, path, overwriting) }
    try writeFolder(path, overwriting) { (folder) throws(ModelError) in
      let names = try copyPictures(to: folder)
      let bytes = try text(of: format, naming: names)
      try FileWriting.at(path) { () throws(FileFault) in
        try CompleteFile.write(bytes, to: "\(folder)/\(format.fileName)")
      }
    }
  }

  private func writeFile(
    _ format: DataFormat, _ path: String, _ overwriting: Bool
  ) throws(ModelError) {
    guard overwriting || FileKind(at: path, followingLinks: false) == nil else {
      throw ModelError(.output, .alreadyThere(path))
    }
    let folder = FilePath.parent(of: path)
    let bytes = try text(
      of: format, naming: records.map { DataPath.name(of: $0.picture, from: folder) })
    try FileWriting.at(path) { () throws(FileFault) in try CompleteFile.write(bytes, to: path) }
  }

  private func writeFolder(
    _ path: String, _ overwriting: Bool, _ fill: (String) throws(ModelError) -> Void
  ) throws(ModelError) {
    do throws(ModelError) {
      try WholeFolder.write(path, overwriting: overwriting, fill)
    } catch {
      // What concerns the pictures that are copied is of the input, the rest of this one.
      throw error.stage == .run ? ModelError(.output, error.reason, file: error.file) : error
    }
  }

  private func text(
    of format: DataFormat, naming pictures: [String]
  ) throws(ModelError) -> [UInt8] {
    switch format {
    case .csv: table(pictures)
    case .autoML: try autoMLTable(pictures)
    case .coco: try cocoDocument(pictures)
    case .ndjson, .labelledFolder: lines(pictures)
    }
  }
}

extension DataFormat {
  /// What the file is called that lies in a folder with the pictures.
  fileprivate var fileName: String {
    switch self {
    case .csv, .autoML: "data.csv"
    case .coco: COCOFile.names[0]
    case .ndjson, .labelledFolder: "data.ndjson"
    }
  }
}

/// Does something with files, and says at which path it failed.
enum FileWriting {
  static func at<Value>(
    _ path: String, _ body: () throws(FileFault) -> Value
  ) throws(ModelError) -> Value {
    do throws(FileFault) {
      return try body()
    } catch {
      throw ModelError(.output, .unwritable(path, problem: error.problem))
    }
  }
}
