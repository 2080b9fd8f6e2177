public import TensorIOBundle
public import TensorIOCore
import TensorIOJSON
import TensorIOSystem

/// A file of what came of each item, so that an evaluation that was interrupted can be gone on with.
///
/// It is lines of JSON: the first says what was evaluated, each of the others what came of an item.
/// What a killed process has left behind the last whole line is cut off.
public final class EvaluationLog {
  /// The items that the file knew when it was opened, by their number.
  public private(set) var completedItems: [Int: EvaluatedItem] = [:]
  private let path: String
  private var file: AppendableFile

  /// Begins a file, or goes on with one that speaks of the same.
  public init(
    at path: String, of subject: EvaluationLogHeader, resuming: Bool
  ) throws(ModelError) {
    self.path = path
    let isThere = FileKind(at: path) != nil
    guard resuming || !isThere else { throw ModelError(.run, .alreadyExists(path)) }
    let bytes = isThere ? try FileBytes.read(path, limit: .max - 1, stage: .input) : []
    let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    var lines = bytes[..<end].split(separator: UInt8(ascii: "\n")).map(Array.init)[...]
    if let head = lines.popFirst(), head != subject.jsonLine {
      let problem = "it holds another evaluation, of another bundle, data or options"
      throw ModelError(.run, .unwritable(path, detail: problem))
    }
    do throws(FileError) {
      file = try AppendableFile(path)
      try file.truncate(to: end)
      if end == 0 { try file.append(subject.jsonLine + [UInt8(ascii: "\n")]) }
    } catch {
      throw ModelError(.run, .unwritable(path, detail: error.message))
    }
    for line in lines {
      guard let item = EvaluatedItem(jsonLine: line) else {
        throw ModelError(.run, .unwritable(path, detail: "somebody has changed it"))
      }
      completedItems[item.index] = item
    }
  }

  /// Writes down what came of an item.
  func append(_ item: EvaluatedItem) throws(ModelError) {
    do throws(FileError) {
      try file.append(item.jsonLine + [UInt8(ascii: "\n")])
    } catch {
      throw ModelError(.run, .unwritable(path, detail: error.message))
    }
  }
}

/// What an evaluation is of; only one of the very same can be gone on with.
public struct EvaluationLogHeader: Sendable, Hashable {
  /// The digest of the bundle.
  public var bundleDigest: String
  /// The data, and how many items it has.
  public var data: String
  /// How many items the data has.
  public var count: Int
  /// What else decides what comes out.
  public var options: [String]

  /// A bundle, data and options.
  public init(bundleDigest: String, data: String, count: Int, options: [String]) {
    (self.bundleDigest, self.data, self.count, self.options) = (bundleDigest, data, count, options)
  }

  /// What the file begins with.
  var jsonLine: [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("evaluation", 1)
      writer.member("bundle", bundleDigest)
      writer.member("data", data)
      writer.member("count", count)
      writer.member("options", array: { writer in options.forEach { writer.value($0) } })
    }
    return writer.bytes
  }
}

/// What came of one item.
public struct EvaluatedItem: Sendable, Hashable {
  /// What came of it.
  public enum Outcome: Sendable, Hashable {
    /// It was judged, by each judge, and took some time, each time.
    case scored([ItemScore], [Timings])
    /// It could not be judged.
    case failed(FailedItem)
  }

  /// Its number in the data.
  public let index: Int
  /// What the data calls it.
  public let name: String
  /// What came of it.
  public let outcome: Outcome

  /// An item and what came of it.
  public init(index: Int, name: String, outcome: Outcome) {
    (self.index, self.name, self.outcome) = (index, name, outcome)
  }
}

extension EvaluatedItem {
  /// The item as a line of a journal.
  var jsonLine: [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("item", index)
      writer.member("name", name)
      switch outcome {
      case .failed(let error):
        writer.member("stage", error.stage.rawValue)
        writer.member("error", error.code)
        writer.member("message", error.message)
      case .scored(let judgements, let runs):
        writer.member(
          "judged",
          array: { writer in
            for judgement in judgements { judgement.write(to: &writer) }
          })
        writer.member(
          "ns",
          array: { writer in
            for run in runs { writer.numbers(run.stages.map { $0.duration.nanoseconds }) }
          })
      }
    }
    return writer.bytes
  }

  /// The item that a line tells of; `nil` when it tells of none.
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
    guard let judged = root["judged"]?.elements.map(Array.init),
      let times = root["ns"]?.elements.map(Array.init)
    else { return nil }
    let judgements = judged.compactMap(ItemScore.init)
    let runs = times.compactMap(Timings.init)
    guard judgements.count == judged.count, runs.count == times.count else { return nil }
    return .scored(judgements, runs)
  }
}

extension ItemScore {
  /// Its names come first, where it has any; a number that is not finite is written as `null`.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if !names.isEmpty {
        writer.member("names", array: { writer in names.forEach { writer.value($0) } })
      }
      writer.key("numbers")
      writer.numbers(values)
    }
  }

  fileprivate init?(_ node: JSONNode) {
    guard let numbers = node["numbers"]?.elements else { return nil }
    let names = node["names"]?.elements?.compactMap(\.string) ?? []
    self.init(numbers.map { $0.double ?? .nan }, names: names)
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
