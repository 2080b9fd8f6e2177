internal import TensorIOCore

extension DataExport {
  /// Throws all that keeps the records from being written, with the pictures it concerns.
  func check(for format: DataFormat, copying: Bool) throws(ModelError) {
    var log = DataLog()
    if records.isEmpty { log.addEmptiness() }
    for label in labels where !Self.isWritable(label) || !format.takes(label: label) {
      log.add(.unsafeLabel(label), path: "")
    }
    for (label, _) in Dictionary(grouping: labels, by: \.self).filter({ $1.count > 1 }) {
      log.add(.duplicateLabel(label), path: "")
    }
    for record in records {
      guard let fault = fault(of: record, for: format, copying) else { continue }
      log.add(fault, path: record.picture)
    }
    try log.check()
  }

  private func fault(
    of record: DataRecord, for format: DataFormat, _ copying: Bool
  ) -> DataFault? {
    let used = record.labels + record.boxes.map(\.label)
    if let stray = used.first(where: { !labels.indices.contains($0) }) {
      return .labelOutOfRange("\(stray)", count: labels.count)
    }
    if !copying, format != .labelledFolder, !Self.isWritable(record.picture) {
      return .unsafeName(record.picture)
    }
    return format.fault(of: record)
  }

  /// Whether a text is the same once it has been written and read.
  private static func isWritable(_ text: String) -> Bool {
    !text.isEmpty && text == text.trimmed
      && text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
  }
}

extension DataFormat {
  /// Whether a label can be written; as a folder's name, not every one can.
  fileprivate func takes(label: String) -> Bool {
    self != .labelledFolder
      || !label.hasPrefix(".") && !label.contains("/") && label.utf8.count <= SafeName.longest
  }

  fileprivate func fault(of record: DataRecord) -> DataFault? {
    switch self {
    case .labelledFolder, .csv: record.isOneLabel ? nil : .notOneLabel
    case .ndjson: record.isOneLabel || record.labels.isEmpty ? nil : .notOneLabel
    case .autoML, .coco: record.labels.isEmpty ? nil : .notBoxes
    }
  }
}

extension DataRecord {
  /// Whether all that is known is a single label.
  var isOneLabel: Bool { labels.count == 1 && boxes.isEmpty }
}

extension DataFault {
  fileprivate static func unsafeLabel(_ label: String) -> DataFault {
    DataFault(
      code: "unsafe-label", message: "The label \(quoted(label)) cannot be written in this form.")
  }

  fileprivate static func unsafeName(_ name: String) -> DataFault {
    DataFault(
      code: "unsafe-name", message: "The picture's name \(quoted(name)) cannot be written.",
      suggestion: "copy the pictures, which gives them names that can")
  }

  fileprivate static let notOneLabel = DataFault(
    code: "not-one-label", message: "This form has exactly one label for a picture, and no boxes.")

  fileprivate static let notBoxes = DataFault(
    code: "not-boxes", message: "This form has boxes, and no labels for pictures as a whole.")
}
