internal import TensorIOCore

extension TestBundle {
  /// Reads a description, and notes all that is wrong with it.
  mutating func read(
    _ root: JSONFields, _ metrics: [String], _ log: inout DataLog
  ) throws(PlacedFault) {
    name = Self.text("name", of: root, &log)
    identifier = Self.text("id", of: root, &log)
    version = Self.text("version", of: root, &log)
    attempt(&log) { (test, log) throws(PlacedFault) in try test.readModels(root, &log) }
    attempt(&log) { (test, log) throws(PlacedFault) in try test.readOptions(root, metrics) }
    attempt(&log) { (test, log) throws(PlacedFault) in try test.readImages(root, &log) }
    attempt(&log) { (test, log) throws(PlacedFault) in try test.readLabels(root, &log) }
    labels = Set(items.lazy.flatMap { $0.expected.values.joined() })
      .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    checkItems(&log)
  }

  private mutating func attempt(
    _ log: inout DataLog,
    _ read: (inout TestBundle, inout DataLog) throws(PlacedFault) -> Void
  ) {
    do throws(PlacedFault) {
      try read(&self, &log)
    } catch {
      log.add(error)
    }
  }

  private static func text(_ key: String, of root: JSONFields, _ log: inout DataLog) -> String {
    do throws(PlacedFault) {
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
    _ root: JSONFields, _ log: inout DataLog
  ) throws(PlacedFault) {
    for element in try root.elements("models") {
      if let model = element.string {
        models.append(model)
      } else {
        log.add(.wrongKind(element, expected: "the id of a model"), at: .value(element))
      }
    }
    if models.isEmpty { throw PlacedFault(.noModels, at: root.place(of: "models")) }
  }

  private mutating func readOptions(
    _ root: JSONFields, _ metrics: [String]
  ) throws(PlacedFault) {
    guard root.has("options") else { return }
    let fields = try root.fields("options")
    if fields.has("iterations") {
      let iterations = try fields.integer("iterations")
      guard (1...Int64(Self.iterationLimit)).contains(iterations) else {
        throw PlacedFault(.iterations(iterations), at: fields.place(of: "iterations"))
      }
      options.iterations = Int(iterations)
    }
    guard fields.has("metric") else { return }
    let metric = try fields.string("metric")
    options.metric = metric
    guard metrics.contains(metric) else {
      throw PlacedFault(.unknownMetric(metric, among: metrics), at: fields.place(of: "metric"))
    }
  }
}

// MARK: Pictures and labels

extension TestBundle {
  private mutating func readImages(
    _ root: JSONFields, _ log: inout DataLog
  ) throws(PlacedFault) {
    for element in try root.elements("images") {
      attempt(&log) { (test, _) throws(PlacedFault) in
        try test.add(image: JSONFields(element))
      }
    }
    if items.isEmpty { throw PlacedFault(.noImages, at: root.place(of: "images")) }
  }

  private mutating func add(image: JSONFields) throws(PlacedFault) {
    let (type, name) = (try image.string("type"), try image.string("path"))
    guard indexes[name] == nil else {
      throw PlacedFault(.duplicatePicture(name), at: image.place(of: "path"))
    }
    guard ["file", "url"].contains(type) else {
      throw PlacedFault(.unknownSource(type), at: image.place(of: "type"))
    }
    indexes[name] = items.count
    items.append(
      Item(
        name: name, source: type == "file" ? .file(place(ofPicture: name)) : .url(name),
        place: image.place(of: "path")))
  }

  /// A picture lies in the folder, or in its folder `images`.
  private func place(ofPicture name: String) -> String {
    DataPath.first(
      of: [path, "\(path)/images"].map { DataPath.resolve(name, in: $0) })
  }

  private mutating func readLabels(
    _ root: JSONFields, _ log: inout DataLog
  ) throws(PlacedFault) {
    for element in try root.elements("labels") {
      attempt(&log) { (test, log) throws(PlacedFault) in
        try test.add(label: JSONFields(element), &log)
      }
    }
  }

  private mutating func add(
    label: JSONFields, _ log: inout DataLog
  ) throws(PlacedFault) {
    let name = try label.string("path")
    let results = try label.fields("inference_results")
    guard let index = indexes[name] else {
      return log.add(.strayLabel(name), at: label.place(of: "path"))
    }
    guard items[index].expected.isEmpty else {
      throw PlacedFault(.duplicatePicture(name), at: label.place(of: "path"))
    }
    items[index].expected = try results.objects().mapValues { $0.names }
  }

  private mutating func checkItems(_ log: inout DataLog) {
    for index in items.indices {
      guard let fault = fault(of: items[index]) else { continue }
      let problem = log.problem(fault, at: items[index].place, of: items[index].name)
      items[index].problem = problem
      log.add(problem)
    }
  }

  private func fault(of item: Item) -> DataFault? {
    if case .file(let path) = item.source, let fault = PictureCheck.fault(of: path) {
      return fault
    }
    return item.expected.isEmpty ? .unexpectedPicture : nil
  }
}

extension DataFault {
  static let noModels = DataFault(code: "no-models", message: "There is no model to run.")

  static let noImages = DataFault(code: "empty-data", message: "There are no pictures.")

  static let unexpectedPicture = DataFault(
    code: "missing-label", message: "It is not said what should come out for this picture.",
    suggestion: "add its path and inference_results to 'labels'")

  static func iterations(_ count: Int64) -> DataFault {
    DataFault(
      code: "out-of-range", expected: "1 to \(TestBundle.iterationLimit)", found: "\(count)",
      message: "A test cannot be run so often.")
  }

  static func unknownMetric(_ name: String, among metrics: [String]) -> DataFault {
    DataFault(
      code: "unknown-metric", message: "There is no metric \(quoted(name)).",
      suggestion: hint(name, among: metrics))
  }

  static func unknownSource(_ type: String) -> DataFault {
    DataFault(
      code: "unknown-type", expected: "'file' or 'url'", found: quoted(type),
      message: "Pictures come from nowhere else.")
  }

  static func strayLabel(_ name: String) -> DataFault {
    DataFault(
      code: "stray-label", message: "There is no picture \(quoted(name)) for this label.",
      severity: .warning)
  }
}
