internal import TensorIOCore
internal import TensorIOTasks

/// What a gallery is asked to do with pictures.
struct GalleryWork {
  let embedder: Embedder
  let options: EmbeddingOptions
  let gallery: GalleryFile
  let report: GalleryReport
  let console: Console

  /// Adds pictures under a name; each must show one thing.
  func enroll(_ pictures: [String], as name: String) throws(CommandFailure) -> ExitCode {
    var entries: [GalleryFile.Entry] = []
    let failures = each(of: pictures) { (picture, found) throws(CommandFailure) in
      guard found.count == 1 else {
        throw .input(
          found.isEmpty ? "nothing-found" : "several-found",
          "\(picture): \(found.count) were found, and a picture that is enrolled shows one")
      }
      entries.append(GalleryFile.Entry(picture: picture, embedding: found[0].embedding))
    }
    let added = try gallery.enroll(entries, as: name, by: embedder.identity)
    report.write("\(name): \(added) of \(pictures.count) enrolled") { writer in
      writer.member("name", name)
      writer.member("enrolled", added)
      writer.member("known_before", entries.count - added)
      writer.member("failed", failures.count)
    }
    return code(failures, of: pictures)
  }

  /// Says who is in pictures.
  func recognize(_ pictures: [String], neighbors: Int) throws(CommandFailure) -> ExitCode {
    let known = try gallery.entries(for: embedder.identity)
    if options.threshold == nil {
      console.note("tensorio: neither the bundle nor --threshold says how far strangers are")
    }
    let failures = each(of: pictures) { (picture, found) throws(CommandFailure) in
      var people: [(Embedder.Found, Recognition)] = []
      for found in found {
        people.append((found, try Self.recognition(of: found, in: known, neighbors, options)))
      }
      report.write(picture, people)
    }
    return code(failures, of: pictures)
  }

  /// Says whether a picture shows whom it is said to.
  func verify(_ name: String, _ picture: String) throws(CommandFailure) -> ExitCode {
    guard let threshold = options.threshold else {
      throw .usage("the bundle has no threshold: give one with --threshold")
    }
    let known = try gallery.entries(for: embedder.identity)
    let own = known.entries.filter { $0.name == name }
    guard !own.isEmpty else { throw .unknownName(name, among: Set(known.entries.map(\.name))) }
    let found = try embedder.found(in: picture, console)
    let distance = try Self.distance(from: found, to: own, options)
    let isSame = distance.map { $0 <= threshold } ?? false
    let told = distance.map { "  \($0.fixed(4))" } ?? ""
    report.write("\(picture)  \(isSame ? "is" : "is not") \(name)\(told)") { writer in
      writer.member("input", picture)
      writer.member("name", name)
      writer.member("same", isSame)
      if let distance { writer.member("distance", distance) }
      writer.member("threshold", threshold)
    }
    return isSame ? .ok : .fellShort
  }
}

extension GalleryWork {
  /// Embeds one picture after the other; those that fail are told, and the others go on.
  private func each(
    of pictures: [String], _ body: (String, [Embedder.Found]) throws(CommandFailure) -> Void
  ) -> [CommandFailure] {
    var failures: [CommandFailure] = []
    for picture in pictures {
      do throws(CommandFailure) {
        try body(picture, try embedder.found(in: picture, console))
      } catch {
        failures.append(error)
        report.write(picture, error)
      }
    }
    return failures
  }

  private static func recognition(
    of found: Embedder.Found, in gallery: MemoryGallery, _ neighbors: Int,
    _ options: EmbeddingOptions
  ) throws(CommandFailure) -> Recognition {
    do throws(ModelError) {
      return try gallery.recognize(found.embedding, neighbors: neighbors, options)
    } catch {
      throw CommandFailure(error)
    }
  }

  /// The distance of the two that are nearest; `nil` where nothing was found.
  private static func distance(
    from found: [Embedder.Found], to entries: [GalleryEntry], _ options: EmbeddingOptions
  ) throws(CommandFailure) -> Double? {
    do throws(ModelError) {
      var distances: [Double] = []
      for one in found {
        for entry in entries {
          distances.append(try one.embedding.distance(to: entry.embedding, by: options.metric))
        }
      }
      return distances.min()
    } catch {
      throw CommandFailure(error)
    }
  }

  private func code(_ failures: [CommandFailure], of pictures: [String]) -> ExitCode {
    guard let failure = failures.first else { return .ok }
    return pictures.count == 1 ? failure.exit : .fellShort
  }
}

extension CommandFailure {
  /// A name that nobody is enrolled under.
  static func unknownName(_ name: String, among names: Set<String>) -> CommandFailure {
    .input(
      "unknown-name",
      "nobody is enrolled as '\(name)'" + didYouMean(name, among: names.sorted()))
  }
}
