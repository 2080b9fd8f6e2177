import TensorIOBundle
package import TensorIOCore
package import TensorIOData
package import TensorIOImage
package import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// The ways to prepare images for a classifier, measured on labeled images.
///
/// First the range of the numbers and the order of the channels are varied together, then fit and
/// filter with the best of these.
package struct DraftTrial: Sendable {
  /// A way to prepare images.
  package struct Preparation: Sendable, Hashable {
    package var range: PixelRange?
    package var format: PixelFormat
    package var fit: ImageFit
    package var filter: ImageFilter
  }

  /// The results of a preparation.
  package struct Row: Sendable {
    package let preparation: Preparation
    /// The number of images whose label has the highest score.
    package fileprivate(set) var correctCount = 0
  }

  /// The measured preparations, in the order in which they were tried.
  package private(set) var rows: [Row] = []
  /// The number of images.
  package let imageCount: Int
  /// The best preparation; in a tie, the drafted one, otherwise the first.
  package private(set) var best: Row

  /// The maximum number of images; the first of each label are used.
  package static let maxImages = 96

  /// Measures the preparations for a draft.
  ///
  /// - Parameters:
  ///   - draft: The draft of a classifier with one image input.
  ///   - images: The labeled images.
  ///   - backend: The runtime.
  /// - Throws: `OperationError` if the draft is not that of such a classifier, or if no image has
  ///   one of its labels.
  package init(
    _ draft: BundleDraft, on images: LabeledImages, with backend: any Backend
  ) throws(OperationError) {
    guard let start = draft.preparation, let labels = draft.labels else {
      throw .input(
        "not-a-classifier", "only a model with one image input and labels can be tried on images")
    }
    let samples = Self.samples(of: images, labels)
    guard !samples.isEmpty else {
      let known = labels.prefix(5).joined(separator: ", ")
      throw .input(
        "unknown-label",
        "\(images.path): no image has one of the model's labels (\(known)\(labels.count > 5 ? ", …" : ""))"
      )
    }
    imageCount = samples.count
    best = Row(preparation: start)
    let staging = try Self.staging(for: draft)
    defer { staging.remove() }
    let bundle = staging.path + "/trial.tiobundle"
    let measure = { (preparation: Preparation) throws(OperationError) in
      try Self.measure(preparation, of: draft, in: bundle, samples, backend)
    }
    try add([start] + Self.variations(ofNumbers: start), measure)
    try add(Self.variations(ofResizing: best.preparation), measure)
  }

  /// Adds the rows of the preparations that have not been measured yet.
  private mutating func add(
    _ preparations: [Preparation], _ measure: (Preparation) throws(OperationError) -> Row
  ) throws(OperationError) {
    for preparation in preparations where !rows.contains(where: { $0.preparation == preparation }) {
      let row = try measure(preparation)
      if rows.isEmpty || best.correctCount < row.correctCount { best = row }
      rows.append(row)
    }
  }

  // MARK: Candidates

  private static func variations(ofNumbers start: Preparation) -> [Preparation] {
    let ranges: [PixelRange?] = start.range == nil ? [nil] : PixelRange.allCases
    let formats: [PixelFormat] = start.format == .gray ? [.gray] : [.rgb, .bgr]
    return ranges.flatMap { range in
      formats.map { format in
        Preparation(range: range, format: format, fit: start.fit, filter: start.filter)
      }
    }
  }

  private static func variations(ofResizing start: Preparation) -> [Preparation] {
    ImageFit.allCases.flatMap { fit in
      [ImageFilter.lanczos, .bilinear, .linear].map { filter in
        Preparation(range: start.range, format: start.format, fit: fit, filter: filter)
      }
    }
  }

  // MARK: Measuring

  private typealias Sample = (path: String, label: Int)

  /// Returns images whose label the model has, equally many of each label.
  private static func samples(of images: LabeledImages, _ labels: [String]) -> [Sample] {
    let indices = Dictionary(
      labels.enumerated().map { ($1.lowercased(), $0) }, uniquingKeysWith: { first, _ in first })
    var byLabel: [Int: [Sample]] = [:]
    for item in 0..<images.count where images.error(at: item) == nil {
      guard let label = images.labelIndices(at: item).first,
        let index = indices[images.labels[label].lowercased()]
      else { continue }
      byLabel[index, default: []].append((images.imagePath(at: item), index))
    }
    let longest = byLabel.values.map(\.count).max() ?? 0
    let interleaved = (0..<longest).flatMap { position in
      byLabel.keys.sorted().compactMap { label in
        byLabel[label].flatMap { $0.indices.contains(position) ? $0[position] : nil }
      }
    }
    return Array(interleaved.prefix(maxImages))
  }

  private static func staging(
    for draft: BundleDraft
  ) throws(OperationError) -> TemporaryDirectory {
    let folder = try mapFileErrors { () throws(FileError) in
      try TemporaryDirectory(prefix: "tensorio-init")
    }
    do throws(ArchiveError) {
      try draft.write(to: folder.path + "/trial.tiobundle", overwriting: false)
    } catch {
      folder.remove()
      throw OperationError(error.code, "\(draft.modelPath): \(error)", exitCode: .operationFailed)
    }
    return folder
  }

  private static func mapFileErrors<Value>(
    _ body: () throws(FileError) -> Value
  ) throws(OperationError) -> Value {
    do throws(FileError) {
      return try body()
    } catch {
      throw OperationError(
        "unwritable", "cannot write to the temporary folder: \(error.message)",
        exitCode: .operationFailed)
    }
  }

  private static func measure(
    _ preparation: Preparation, of draft: BundleDraft, in bundle: String, _ samples: [Sample],
    _ backend: any Backend
  ) throws(OperationError) -> Row {
    var draft = draft
    draft.set(preparation)
    var row = Row(preparation: preparation)
    try mapFileErrors { () throws(FileError) in
      try AtomicFile.write(draft.description.json, to: bundle + "/model.json")
    }
    return try OperationError.rethrowing { () throws(ModelError) in
      let model = try Model(ModelBundle(at: bundle), on: backend)
      for sample in samples {
        guard let image = try? ImageBuffer(contentsOf: sample.path) else { continue }
        let classes = try model.run(image).layers.lazy.compactMap(\.value.classification).first
        guard let classes, classes.scores.indices.contains(sample.label) else { continue }
        let score = classes.scores[sample.label]
        let others = classes.scores.enumerated().filter { $0.offset != sample.label }
        if let highest = others.map(\.element).max(), score > highest { row.correctCount += 1 }
      }
      return row
    }
  }
}

extension DraftTrial {
  /// Returns why a value of the best preparation needs review, or `nil` if all others are worse.
  func reviewNote(_ text: (Preparation) -> String) -> String? {
    let chosen = text(best.preparation)
    var others: [String] = []
    for row in rows where row.correctCount == best.correctCount {
      let other = text(row.preparation)
      if other != chosen, !others.contains(other) { others.append(other) }
    }
    guard !others.isEmpty else { return nil }
    return "as many images are correct with \(others.joined(separator: " or "))"
  }

  /// The table of the measured preparations, best first.
  package var lines: [String] {
    let width = { (column: (Row) -> String) in rows.map { column($0).count }.max() ?? 0 }
    let columns: [(Row) -> String] = [
      { $0.preparation.rangeText }, { $0.preparation.formatText }, { $0.preparation.fit.rawValue },
      { $0.preparation.filter.rawValue },
    ]
    let sorted = rows.enumerated().sorted { left, right in
      (right.element.correctCount, left.offset) < (left.element.correctCount, right.offset)
    }.map(\.element)
    return ["Measured on \(imageCount) images:"]
      + sorted.map { row in
        let cells = columns.map { column in
          column(row).padded(to: width(column))
        }
        return "  \(cells.joined(separator: "  "))  \(row.correctCount) of \(imageCount) correct"
      }
  }

  /// Writes the measured preparations as an array.
  package func write(to writer: inout JSONWriter) {
    writer.array { writer in
      for row in rows {
        writer.object { writer in
          writer.member("normalize", row.preparation.rangeText)
          writer.member("format", row.preparation.formatText)
          writer.member("fit", row.preparation.fit.rawValue)
          writer.member("filter", row.preparation.filter.rawValue)
          writer.member("correct", row.correctCount)
          writer.member("images", imageCount)
        }
      }
    }
  }
}

extension DraftTrial.Preparation {
  fileprivate var rangeText: String { range?.rawValue ?? "unchanged" }
}

extension DraftTrial.Preparation {
  /// The format's name in `model.json`.
  var formatText: String { format.layerName ?? "" }
}

extension LayerValue {
  fileprivate var classification: Classification? {
    if case .classification(let classification) = self { classification } else { nil }
  }
}
