import TensorIO
import TensorIOCore
import TensorIOJSON
import TensorIOSystem
import TensorIOTasks

/// What a gallery is asked to do with pictures.
struct GalleryOperations {
  let embedder: Embedder
  let options: EmbeddingOptions
  let gallery: GalleryStore
  let report: GalleryReport
  let console: Console

  /// Adds pictures under a name; each must show one thing.
  func enroll(_ pictures: [String], as name: String) throws(OperationError) -> ExitCode {
    var entries: [GalleryStore.Entry] = []
    let failures = embedEach( pictures) { (picture, found) throws(OperationError) in
      guard found.count == 1 else {
        throw .input(
          found.isEmpty ? "nothing-found" : "several-found",
          "\(picture): \(found.count) were found, and a picture that is enrolled shows one")
      }
      entries.append(GalleryStore.Entry(imagePath: picture, embedding: found[0].embedding))
    }
    let added = try gallery.enroll(entries, as: name, by: embedder.identity)
    report.write("\(name): \(added) of \(pictures.count) enrolled") { writer in
      writer.member("name", name)
      writer.member("enrolled", added)
      writer.member("known_before", entries.count - added)
      writer.member("failed", failures.count)
    }
    return exitCode(for: failures, of: pictures)
  }

  /// Says who is in pictures.
  func recognize(_ pictures: [String], neighbors: Int) throws(OperationError) -> ExitCode {
    let known = try gallery.gallery(for: embedder.identity)
    if options.threshold == nil {
      console.info("tensorio: neither the bundle nor --threshold says how far strangers are")
    }
    let failures = embedEach( pictures) { (picture, found) throws(OperationError) in
      var people: [(Embedder.Region, Recognition)] = []
      for found in found {
        people.append((found, try Self.recognition(of: found, in: known, neighbors, options)))
      }
      report.write(picture, people)
    }
    return exitCode(for: failures, of: pictures)
  }

  /// Says whether a picture shows whom it is said to.
  func verify(_ name: String, _ picture: String) throws(OperationError) -> ExitCode {
    guard let threshold = options.threshold else {
      throw .usage("the bundle has no threshold: give one with --threshold")
    }
    let known = try gallery.gallery(for: embedder.identity)
    let own = known.entries.filter { $0.name == name }
    guard !own.isEmpty else { throw .unknownName(name, among: Set(known.entries.map(\.name))) }
    let found = try embedder.embeddedRegions(in: picture, console)
    let distance = try Self.distance(from: found, to: own, options)
    let isSame = distance.map { $0 <= threshold } ?? false
    let told = distance.map { "  \($0.formatted(decimals: 4))" } ?? ""
    report.write("\(picture)  \(isSame ? "is" : "is not") \(name)\(told)") { writer in
      writer.member("input", picture)
      writer.member("name", name)
      writer.member("same", isSame)
      if let distance { writer.member("distance", distance) }
      writer.member("threshold", threshold)
    }
    return isSame ? .success : .partialFailure
  }
}

extension GalleryOperations {
  /// Embeds one picture after the other; those that fail are told, and the others go on.
  private func embedEach(
    _ pictures: [String], _ body: (String, [Embedder.Region]) throws(OperationError) -> Void
  ) -> [OperationError] {
    var failures: [OperationError] = []
    for picture in pictures {
      do throws(OperationError) {
        try body(picture, try embedder.embeddedRegions(in: picture, console))
      } catch {
        failures.append(error)
        report.write(picture, error)
      }
    }
    return failures
  }

  private static func recognition(
    of found: Embedder.Region, in gallery: InMemoryGallery, _ neighbors: Int,
    _ options: EmbeddingOptions
  ) throws(OperationError) -> Recognition {
    do throws(ModelError) {
      return try gallery.recognize(found.embedding, neighbors: neighbors, options)
    } catch {
      throw OperationError(error)
    }
  }

  /// The distance of the two that are nearest; `nil` where nothing was found.
  private static func distance(
    from found: [Embedder.Region], to entries: [GalleryEntry], _ options: EmbeddingOptions
  ) throws(OperationError) -> Double? {
    do throws(ModelError) {
      var distances: [Double] = []
      for one in found {
        for entry in entries {
          distances.append(try one.embedding.distance(to: entry.embedding, by: options.metric))
        }
      }
      return distances.min()
    } catch {
      throw OperationError(error)
    }
  }

  private func exitCode(for failures: [OperationError], of pictures: [String]) -> ExitCode {
    guard let failure = failures.first else { return .success }
    return pictures.count == 1 ? failure.exitCode : .partialFailure
  }
}

extension OperationError {
  /// A name that nobody is enrolled under.
  static func unknownName(_ name: String, among names: Set<String>) -> OperationError {
    .input(
      "unknown-name",
      "nobody is enrolled as '\(name)'" + spellingSuggestion(for: name, among: names.sorted()))
  }
}

/// Prints what a gallery says: lines for people, or one JSON object a line.
struct GalleryReport {
  let isJSON: Bool
  let console: Console

  /// Prints one thing in both forms.
  func write(_ text: String, _ members: (inout JSONWriter) -> Void) {
    guard isJSON else { return console.print(text.sanitizedForTerminal) }
    var writer = JSONWriter(.compact)
    writer.object(members)
    console.writeOutput(writer.bytes + Array("\n".utf8))
  }

  /// Who is in a picture.
  func write(_ picture: String, _ found: [(Embedder.Region, Recognition)]) {
    let texts = found.map { found, recognition in Self.text(recognition, found.detection?.box) }
    let shown = texts.isEmpty ? "nobody" : texts.joined(separator: ", ")
    write("\(picture)  \(shown)") { writer in
      writer.member("input", picture)
      writer.member(
        "recognised",
        array: { writer in
          for (found, recognition) in found {
            writer.object { Self.write(recognition, found.detection?.box, to: &$0) }
          }
        })
    }
  }

  /// What went wrong with a picture.
  func write(_ picture: String, _ failure: OperationError) {
    console.printError(failure)
    guard isJSON else { return }
    write("") { writer in
      writer.member("input", picture)
      writer.member(
        "error",
        object: { writer in
          writer.member("code", failure.code)
          writer.member("message", failure.message)
        })
    }
  }

  private static func text(_ recognition: Recognition, _ box: BoundingBox?) -> String {
    let name = recognition.name ?? Recognition.unknownName
    let distance = recognition.distance.map { " \($0.formatted(decimals: 4))" } ?? ""
    let place = box.map { " at \(Int(clamping: $0.xmin)), \(Int(clamping: $0.ymin))" } ?? ""
    return name + distance + place
  }

  private static func write(
    _ recognition: Recognition, _ box: BoundingBox?, to writer: inout JSONWriter
  ) {
    writer.member("name", recognition.name ?? Recognition.unknownName)
    writer.member("known", recognition.name != nil)
    if let distance = recognition.distance { writer.member("distance", distance) }
    writer.member("votes", recognition.votes)
    writer.member(
      "neighbours",
      array: { writer in
        for neighbor in recognition.neighbors {
          writer.object { writer in
            writer.member("name", neighbor.name)
            writer.member("distance", neighbor.distance)
          }
        }
      })
    guard let box else { return }
    writer.member(
      "box",
      object: { writer in
        for (name, edge) in box.edges { writer.member(name, edge) }
      })
  }
}
