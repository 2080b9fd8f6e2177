import TensorIO
import TensorIOCore
import TensorIOJSON
import TensorIOLibrary
import TensorIOSystem
import TensorIOTasks

/// The operations of `tensorio gallery` on images.
struct GalleryOperations {
  let embedder: Embedder
  let options: EmbeddingOptions
  /// The path of the gallery's database.
  let galleryPath: String
  let report: GalleryReport
  let console: Console

  /// Enrolls images under a name; each must contain exactly one region.
  func enroll(_ images: [String], as name: String) throws(OperationError) -> ExitCode {
    // A missing gallery is created once there is something to enroll.
    let existing =
      FileKind(at: galleryPath) == nil ? nil : try GalleryStore(galleryPath, createIfMissing: true)
    var entries: [GalleryStore.Entry] = []
    let failures = embedEach(images) { (image, regions) throws(OperationError) in
      let embedding = try regions.only(in: image).embedding
      entries.append(GalleryStore.Entry(imagePath: image, embedding: embedding))
    }
    var added = 0
    if !entries.isEmpty {
      let gallery =
        if let existing { existing } else { try GalleryStore(galleryPath, createIfMissing: true) }
      added = try gallery.enroll(entries, as: name, by: embedder.identity)
    }
    report.write("\(name): \(added) of \(images.count) enrolled") { writer in
      writer.member("name", name)
      writer.member("enrolled", added)
      writer.member("duplicates", entries.count - added)
      writer.member("failed", failures.count)
    }
    return exitCode(for: failures, of: images)
  }

  /// Recognizes the regions of images.
  func recognize(_ images: [String], neighbors: Int) throws(OperationError) -> ExitCode {
    let enrolled = try GalleryStore(galleryPath).gallery(for: embedder.identity)
    if options.maxDistance == nil {
      console.info(
        "tensorio: no match threshold: the bundle has none and --max-distance is not set")
    }
    let failures = embedEach(images) { (image, regions) throws(OperationError) in
      var recognized: [(EmbeddedRegion, Recognition)] = []
      for region in regions {
        let recognition = try Self.recognition(of: region, in: enrolled, neighbors, options)
        recognized.append((region, recognition))
      }
      report.write(image, recognized)
    }
    return exitCode(for: failures, of: images)
  }

  /// Compares an image with the embeddings enrolled under a name.
  func verify(_ name: String, _ image: String) throws(OperationError) -> ExitCode {
    guard let threshold = options.maxDistance else {
      throw .usage("the bundle has no match threshold; set --max-distance")
    }
    let enrolled = try GalleryStore(galleryPath).gallery(for: embedder.identity)
    let entries = enrolled.entries.filter { $0.name == name }
    guard !entries.isEmpty else {
      throw .unknownName(name, among: Set(enrolled.entries.map(\.name)))
    }
    let regions = try embedder.embeddedRegions(in: image, console)
    let distance = try Self.distance(from: regions, to: entries, options)
    let isMatch = distance.map { $0 <= threshold } ?? false
    let distanceText = distance.map { "  \($0.formatted(decimals: 4))" } ?? ""
    report.write("\(image)  \(isMatch ? "is" : "is not") \(name)\(distanceText)") { writer in
      writer.member("input", image)
      writer.member("name", name)
      writer.member("match", isMatch)
      if let distance { writer.member("distance", distance) }
      writer.member("threshold", threshold)
    }
    return isMatch ? .success : .partialFailure
  }
}

extension GalleryOperations {
  /// Passes the embedded regions of each image to `body`, and reports and returns the errors.
  private func embedEach(
    _ images: [String], _ body: (String, [EmbeddedRegion]) throws(OperationError) -> Void
  ) -> [OperationError] {
    var failures: [OperationError] = []
    for image in images {
      do throws(OperationError) {
        try body(image, try embedder.embeddedRegions(in: image, console))
      } catch {
        failures.append(error)
        report.write(image, error)
      }
    }
    return failures
  }

  private static func recognition(
    of region: EmbeddedRegion, in gallery: InMemoryGallery, _ neighbors: Int,
    _ options: EmbeddingOptions
  ) throws(OperationError) -> Recognition {
    do throws(ModelError) {
      return try gallery.recognize(region.embedding, neighbors: neighbors, options)
    } catch {
      throw OperationError(error)
    }
  }

  /// Returns the smallest distance between a region and an entry; `nil` without regions.
  private static func distance(
    from regions: [EmbeddedRegion], to entries: [GalleryEntry], _ options: EmbeddingOptions
  ) throws(OperationError) -> Double? {
    do throws(ModelError) {
      var distances: [Double] = []
      for region in regions {
        for entry in entries {
          distances.append(try region.embedding.distance(to: entry.embedding, by: options.metric))
        }
      }
      return distances.min()
    } catch {
      throw OperationError(error)
    }
  }

  private func exitCode(for failures: [OperationError], of images: [String]) -> ExitCode {
    guard let error = failures.first else { return .success }
    return images.count == 1 ? error.exitCode : .partialFailure
  }
}

extension OperationError {
  /// The error of a name without enrolled images.
  static func unknownName(_ name: String, among names: Set<String>) -> OperationError {
    .input(
      "unknown-name",
      "unknown name '\(name)'" + spellingSuggestion(for: name, among: names.sorted()))
  }
}

/// Prints the results of gallery operations, as text or JSON lines.
struct GalleryReport {
  let isJSON: Bool
  let console: Console

  /// Prints a result as text, or as a JSON object with the given members.
  func write(_ text: String, _ members: (inout JSONWriter) -> Void) {
    guard isJSON else { return console.printText(text) }
    console.writeJSONObject(.compact) { members(&$0) }
  }

  /// Prints the recognized regions of an image.
  func write(_ image: String, _ recognized: [(EmbeddedRegion, Recognition)]) {
    let texts = recognized.map { region, recognition in
      Self.text(recognition, region.detection?.box)
    }
    let summary = texts.isEmpty ? "no detections" : texts.joined(separator: ", ")
    write("\(image)  \(summary)") { writer in
      writer.member("input", image)
      writer.member(
        "recognized",
        array: { writer in
          for (region, recognition) in recognized {
            RecognizedRegion(recognition: recognition, box: region.detection?.box).write(
              to: &writer)
          }
        })
    }
  }

  /// Reports the error of an image.
  func write(_ image: String, _ error: OperationError) {
    console.printError(error)
    guard isJSON else { return }
    write("") { writer in
      writer.member("input", image)
      writer.member(
        "error",
        object: { writer in
          writer.member("code", error.code)
          writer.member("message", error.message)
        })
    }
  }

  private static func text(_ recognition: Recognition, _ box: BoundingBox?) -> String {
    let position = box.map { " at \(Int(clamping: $0.xmin)), \(Int(clamping: $0.ymin))" } ?? ""
    return recognition.text + position
  }
}

/// A region of an image with the name that a gallery gives to it.
private struct RecognizedRegion: ResultRecord {
  let recognition: Recognition
  let box: BoundingBox?

  static let members = Recognition.members.map { $0.of(\.recognition) } + [Member("box", \.box)]
}
