package import TensorIOBundle
package import TensorIOCore
import TensorIOJSON
import TensorIOSystem

/// A file that records evaluated items, so that an interrupted evaluation can be resumed.
///
/// The file contains one JSON object per line: first a header that identifies the evaluation, then
/// the items. An incomplete last line, left by a process that was killed, is truncated.
package final class EvaluationLog {
  /// The items in the file when it was opened, by index.
  package private(set) var completedItems: [Int: EvaluatedItem] = [:]
  private let path: String
  private var file: AppendableFile

  /// Creates a log, or opens one for resuming.
  ///
  /// - Parameters:
  ///   - path: The path of the file.
  ///   - header: The evaluation; an existing log must have the same header.
  ///   - resuming: Whether to open an existing log.
  /// - Throws: A `ModelError` if the file exists and `resuming` is false, has another header or
  ///   an invalid line, or cannot be read or written.
  package init(
    at path: String, of header: EvaluationLogHeader, resuming: Bool
  ) throws(ModelError) {
    self.path = path
    let exists = FileKind(at: path) != nil
    guard resuming || !exists else { throw ModelError(.run, .alreadyExists(path)) }
    let bytes = exists ? try FileBytes.read(path, limit: .max - 1, stage: .input) : []
    let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    var lines = bytes[..<end].split(separator: UInt8(ascii: "\n")).map(Array.init)[...]
    if let first = lines.popFirst(), first != header.jsonLine {
      let detail = "the log is of an evaluation with another bundle, dataset or options"
      throw ModelError(.run, .unwritable(path, detail: detail))
    }
    do throws(FileError) {
      file = try AppendableFile(path)
      try file.truncate(to: end)
      if end == 0 { try file.append(header.jsonLine + [UInt8(ascii: "\n")]) }
    } catch {
      throw ModelError(.run, .unwritable(path, detail: error.message))
    }
    for line in lines {
      guard let item = EvaluatedItem(jsonLine: line) else {
        throw ModelError(.run, .unwritable(path, detail: "the log contains an invalid line"))
      }
      completedItems[item.index] = item
    }
  }

  /// Returns the items of a log, in the order of the dataset.
  ///
  /// - Throws: A `ModelError` if the file cannot be read, or is no log.
  package static func items(at path: String) throws(ModelError) -> [EvaluatedItem] {
    let bytes = try FileBytes.read(path, limit: .max - 1, stage: .input)
    let lines = bytes.split(separator: UInt8(ascii: "\n")).map(Array.init)
    let isLog = lines.first.flatMap { try? JSONDocument(parsing: $0).root["evaluation_log"] } != nil
    let items = lines.dropFirst().map(EvaluatedItem.init(jsonLine:))
    guard isLog, items.allSatisfy({ $0 != nil }) else {
      throw ModelError(
        .input, .wrongType(expected: "a log of evaluate --output", actual: "something else"),
        file: path)
    }
    return items.compactMap(\.self).sorted { $0.index < $1.index }
  }

  /// Appends an evaluated item, with its ground truth and prediction.
  func append(_ item: EvaluatedItem, summary: ItemSummary? = nil) throws(ModelError) {
    do throws(FileError) {
      try file.append(item.jsonLine(summary: summary) + [UInt8(ascii: "\n")])
    } catch {
      throw ModelError(.run, .unwritable(path, detail: error.message))
    }
  }
}

extension EvaluationResult {
  /// Reads what a log has of each item: ground truth, prediction, and whether it is correct.
  ///
  /// The metrics are the fraction of correct items and the mean loss; others need the evaluators of the model.
  ///
  /// - Throws: A `ModelError` if the file cannot be read, or is no log.
  package init(logAt path: String) throws(ModelError) {
    self.init(model: EvaluatedModel(path: path, name: path, id: "", version: ""), data: "")
    _ = try EvaluationLog.items(at: path)
    let lines = try FileBytes.read(path, limit: .max - 1, stage: .input)
      .split(separator: UInt8(ascii: "\n")).map(Array.init)
    var outcomes: [ItemOutcome] = []
    for line in lines {
      guard let root = try? JSONDocument(parsing: line).root, let name = root["name"]?.string else {
        data = (try? JSONDocument(parsing: line).root["data"]?.string) ?? data
        continue
      }
      if let item = EvaluatedItem(jsonLine: line), case .failed(let failed) = item.outcome {
        failedItems.append(failed)
        continue
      }
      outcomes.append(
        ItemOutcome(
          name: name, truth: root["truth"]?.string ?? "",
          prediction: root["prediction"]?.string ?? "", isCorrect: root["correct"]?.bool,
          confidence: root["confidence"]?.double, loss: root["loss"]?.double))
    }
    count = outcomes.count
    var itemMetrics: [any ItemMetric] = []
    let areCorrect = outcomes.compactMap(\.isCorrect)
    if areCorrect.count == count {
      itemMetrics.append(RatioItems("accuracy", areCorrect: areCorrect))
    }
    let losses = outcomes.compactMap(\.loss)
    if losses.count == count {
      itemMetrics.append(RatioItems("loss", unit: .number, direction: .lower, losses))
    }
    items = ItemTable(outcomes, metrics: itemMetrics)
    items.resample()
    metrics = items.values
  }
}

/// The identity of an evaluation; only the same evaluation can be resumed.
package struct EvaluationLogHeader: Sendable, Hashable {
  /// The digest of the bundle.
  package var bundleDigest: String
  /// The path of the dataset.
  package var data: String
  /// The number of items in the dataset.
  package var count: Int
  /// Other options that affect the result.
  package var options: [String]

  /// Creates a header.
  package init(bundleDigest: String, data: String, count: Int, options: [String]) {
    (self.bundleDigest, self.data, self.count, self.options) = (bundleDigest, data, count, options)
  }

  /// The first line of the file.
  var jsonLine: [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("evaluation_log", 2)
      writer.member("bundle_digest", bundleDigest)
      writer.member("data", data)
      writer.member("count", count)
      writer.member("options", array: options) { $0.value($1) }
    }
    return writer.bytes
  }
}

/// An evaluated item.
package struct EvaluatedItem: Sendable, Hashable {
  /// The outcome of evaluating an item.
  package enum Outcome: Sendable, Hashable {
    /// The scores by each evaluator, and the timings of each run.
    case scored([ItemScore], [Timings])
    /// The error that prevented the evaluation.
    case failed(FailedItem)
  }

  /// The index in the dataset.
  package let index: Int
  /// The name in the dataset.
  package let name: String
  /// The outcome.
  package let outcome: Outcome

  /// Creates an evaluated item.
  package init(index: Int, name: String, outcome: Outcome) {
    (self.index, self.name, self.outcome) = (index, name, outcome)
  }
}

extension EvaluatedItem {
  /// The item as a line of the log, without a summary.
  var jsonLine: [UInt8] { jsonLine(summary: nil) }

  /// Returns the item as a line of the log.
  ///
  /// The summary is for readers of the file; resuming uses the scores.
  func jsonLine(summary: ItemSummary?) -> [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("item", index)
      writer.member("name", name)
      if let summary {
        writer.key("ground_truth")
        writer.value(summary.groundTruth)
      }
      if let prediction = summary?.prediction {
        writer.key("prediction")
        writer.value(prediction)
      }
      if let summary { writer.member("truth", summary.groundTruth.text) }
      if let isCorrect = summary?.isCorrect { writer.member("correct", isCorrect) }
      for (name, number) in [("confidence", summary?.confidence), ("loss", summary?.loss)] {
        if let number, number.isFinite { writer.member(name, number) }
      }
      switch outcome {
      case .failed(let error):
        writer.member("stage", error.stage.rawValue)
        writer.member("error", error.code)
        writer.member("message", error.message)
      case .scored(let scores, let runs):
        writer.member("scores", array: scores) { $1.write(to: &$0) }
        writer.member(
          "timings_ns",
          array: { writer in
            for run in runs { writer.numbers(run.stages.map { $0.duration.nanoseconds }) }
          })
      }
    }
    return writer.bytes
  }

  /// Parses a line of the log; `nil` if it is invalid.
  init?(jsonLine: [UInt8]) {
    guard let root = try? JSONDocument(parsing: jsonLine).root, let index = root["item"]?.int,
      let name = root["name"]?.string, let number = Int(exactly: index), number >= 0
    else { return nil }
    guard let outcome = Self.outcome(root, name) else { return nil }
    self.init(index: number, name: name, outcome: outcome)
  }

  private static func outcome(_ root: JSONNode, _ name: String) -> Outcome? {
    if let code = root["error"]?.string, let message = root["message"]?.string,
      let stage = (root["stage"]?.string).flatMap(ModelError.Stage.init)
    {
      return .failed(FailedItem(name: name, stage: stage, code: code, message: message))
    }
    guard let scoreNodes = root["scores"]?.elements.map(Array.init),
      let timingNodes = root["timings_ns"]?.elements.map(Array.init)
    else { return nil }
    let scores = scoreNodes.compactMap(ItemScore.init)
    let runs = timingNodes.compactMap(Timings.init)
    guard scores.count == scoreNodes.count, runs.count == timingNodes.count else { return nil }
    return .scored(scores, runs)
  }
}

extension JSONWriter {
  fileprivate mutating func value(_ value: ItemSummary.Value) {
    switch value {
    case .label(let label): self.value(label)
    case .labels(let labels): array { writer in labels.forEach { writer.value($0) } }
    case .numbers(let numbers): self.numbers(numbers)
    }
  }
}

extension ItemScore {
  /// Writes the score; numbers that are not finite are written as `null`.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if !names.isEmpty {
        writer.member("names", array: names) { $0.value($1) }
      }
      writer.key("values")
      writer.numbers(values)
    }
  }

  fileprivate init?(_ node: JSONNode) {
    guard let values = node["values"]?.elements else { return nil }
    let names = node["names"]?.elements?.compactMap(\.string) ?? []
    self.init(values.map { $0.double ?? .nan }, names: names)
  }
}

extension Timings {
  fileprivate init?(_ node: JSONNode) {
    guard let numbers = node.elements?.compactMap({ $0.int }), numbers.count == 5 else {
      return nil
    }
    self.init()
    let durations = numbers.map { Duration.nanoseconds($0) }
    (image, input, run, output) = (durations[0], durations[1], durations[2], durations[3])
    total = durations[4]
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
