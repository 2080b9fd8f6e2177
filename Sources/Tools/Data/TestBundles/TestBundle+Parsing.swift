import TensorIOBundle
import TensorIOJSON

extension TestBundle {
  /// Parses a description and logs all errors.
  mutating func read(
    _ root: JSONObjectReader, _ metrics: [String], _ log: inout DataDiagnosticLog
  ) throws(LocatedDiagnostic) {
    name = Self.text("name", of: root, &log)
    identifier = Self.text("id", of: root, &log)
    version = Self.text("version", of: root, &log)
    attempt(&log) { (bundle, log) throws(LocatedDiagnostic) in try bundle.readModels(root, &log) }
    attempt(&log) { (bundle, log) throws(LocatedDiagnostic) in try bundle.readOptions(root, metrics)
    }
    attempt(&log) { (bundle, log) throws(LocatedDiagnostic) in try bundle.readImages(root, &log) }
    attempt(&log) { (bundle, log) throws(LocatedDiagnostic) in try bundle.readLabels(root, &log) }
    labels = Set(items.lazy.flatMap { $0.expected.values.joined() })
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    checkItems(&log)
  }

  private mutating func attempt(
    _ log: inout DataDiagnosticLog,
    _ read: (inout TestBundle, inout DataDiagnosticLog) throws(LocatedDiagnostic) -> Void
  ) {
    do throws(LocatedDiagnostic) {
      try read(&self, &log)
    } catch {
      log.add(error)
    }
  }

  private static func text(
    _ key: String, of root: JSONObjectReader, _ log: inout DataDiagnosticLog
  ) -> String {
    do throws(LocatedDiagnostic) {
      return try root.string(key)
    } catch {
      log.add(error)
      return ""
    }
  }
}

// MARK: Models and options

extension TestBundle {
  private mutating func readModels(
    _ root: JSONObjectReader, _ log: inout DataDiagnosticLog
  ) throws(LocatedDiagnostic) {
    for element in try root.elements("models") {
      if let model = element.string {
        models.append(model)
      } else {
        log.add(.wrongType(element, expected: "a model id"), at: .value(element))
      }
    }
    if models.isEmpty { throw LocatedDiagnostic(.noModels, at: root.location(of: "models")) }
  }

  private mutating func readOptions(
    _ root: JSONObjectReader, _ metrics: [String]
  ) throws(LocatedDiagnostic) {
    guard root.has("options") else { return }
    let fields = try root.object("options")
    if fields.has("iterations") {
      let iterations = try fields.integer("iterations")
      guard (1...Int64(Self.maxIterations)).contains(iterations) else {
        throw LocatedDiagnostic(
          .iterationsOutOfRange(iterations), at: fields.location(of: "iterations"))
      }
      options.iterations = Int(iterations)
    }
    guard fields.has("metric") else { return }
    let metric = try fields.string("metric")
    options.metric = metric
    guard metrics.contains(metric) else {
      throw LocatedDiagnostic(
        .unknownMetric(metric, among: metrics), at: fields.location(of: "metric"))
    }
  }
}

// MARK: Images and labels

extension TestBundle {
  private mutating func readImages(
    _ root: JSONObjectReader, _ log: inout DataDiagnosticLog
  ) throws(LocatedDiagnostic) {
    for element in try root.elements("images") {
      attempt(&log) { (bundle, _) throws(LocatedDiagnostic) in
        try bundle.add(image: JSONObjectReader(element))
      }
    }
    if items.isEmpty { throw LocatedDiagnostic(.noImages, at: root.location(of: "images")) }
  }

  private mutating func add(image: JSONObjectReader) throws(LocatedDiagnostic) {
    let (type, name) = (try image.string("type"), try image.string("path"))
    guard indexes[name] == nil else {
      throw LocatedDiagnostic(.duplicateImage(name), at: image.location(of: "path"))
    }
    guard ["file", "url"].contains(type) else {
      throw LocatedDiagnostic(.unknownSource(type), at: image.location(of: "type"))
    }
    indexes[name] = items.count
    items.append(
      Item(
        name: name, source: type == "file" ? .file(path(ofImage: name)) : .url(name),
        location: image.location(of: "path")))
  }

  /// Returns the path of an image, which is in the folder or in its subfolder `images`.
  private func path(ofImage name: String) -> String {
    DataPath.firstExisting(
      of: [path, "\(path)/images"].map { DataPath.resolve(name, in: $0) })
  }

  private mutating func readLabels(
    _ root: JSONObjectReader, _ log: inout DataDiagnosticLog
  ) throws(LocatedDiagnostic) {
    for element in try root.elements("labels") {
      attempt(&log) { (bundle, log) throws(LocatedDiagnostic) in
        try bundle.add(label: JSONObjectReader(element), &log)
      }
    }
  }

  private mutating func add(
    label: JSONObjectReader, _ log: inout DataDiagnosticLog
  ) throws(LocatedDiagnostic) {
    let name = try label.string("path")
    let results = try label.object("inference_results")
    guard let index = indexes[name] else {
      return log.add(.unmatchedLabel(name), at: label.location(of: "path"))
    }
    guard items[index].expected.isEmpty else {
      throw LocatedDiagnostic(.duplicateImage(name), at: label.location(of: "path"))
    }
    items[index].expected = try results.objects().mapValues { $0.names }
  }

  private mutating func checkItems(_ log: inout DataDiagnosticLog) {
    for index in items.indices {
      guard let found = diagnostic(for: items[index]) else { continue }
      let diagnostic = log.diagnostic(found, at: items[index].location, item: items[index].name)
      items[index].error = diagnostic
      log.add(diagnostic)
    }
  }

  private func diagnostic(for item: Item) -> DataDiagnostic? {
    if case .file(let path) = item.source, let diagnostic = ImageHeaderCheck.diagnostic(for: path) {
      return diagnostic
    }
    return item.expected.isEmpty ? .missingExpectedLabel : nil
  }
}

extension DataDiagnostic {
  static let noModels = DataDiagnostic(code: "no-models", message: "no models are listed")

  static let noImages = DataDiagnostic(code: "empty-data", message: "no images are listed")

  static let missingExpectedLabel = DataDiagnostic(
    code: "missing-label", message: "image has no expected results",
    suggestion: "add its path and inference_results to 'labels'")

  static func iterationsOutOfRange(_ count: Int64) -> DataDiagnostic {
    DataDiagnostic(
      code: "out-of-range", expected: "1 to \(TestBundle.maxIterations)", found: "\(count)",
      message: "number of iterations out of range")
  }

  static func unknownMetric(_ name: String, among metrics: [String]) -> DataDiagnostic {
    DataDiagnostic(
      code: "unknown-metric", message: "unknown metric \(quoted(name))",
      suggestion: hint(name, among: metrics))
  }

  static func unknownSource(_ type: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "unknown-image-source", expected: "'file' or 'url'", found: quoted(type),
      message: "unknown image source")
  }

  static func unmatchedLabel(_ name: String) -> DataDiagnostic {
    DataDiagnostic(
      code: "unmatched-label", message: "no image \(quoted(name)) for this label",
      severity: .warning)
  }
}
