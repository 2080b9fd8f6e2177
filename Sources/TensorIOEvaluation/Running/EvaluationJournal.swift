public import TensorIOCore
internal import TensorIOSystem

/// A file of what came of each item, so that an evaluation that was interrupted can be gone on with.
///
/// It is lines of JSON: the first says what was evaluated, each of the others what came of an item.
/// What a killed process has left behind the last whole line is cut off.
public final class EvaluationJournal {
  /// The items that the file knew when it was opened, by their number.
  public private(set) var recorded: [Int: EvaluatedItem] = [:]
  private let path: String
  private var file: AppendedFile

  /// Begins a file, or goes on with one that speaks of the same.
  public init(
    at path: String, of subject: EvaluationSubject, resuming: Bool
  ) throws(ModelError) {
    self.path = path
    let isThere = FileKind(at: path) != nil
    guard resuming || !isThere else { throw ModelError(.run, .alreadyThere(path)) }
    let bytes = isThere ? try FileBytes.read(path, limit: .max - 1, stage: .input) : []
    let end = bytes.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    var lines = bytes[..<end].split(separator: UInt8(ascii: "\n")).map(Array.init)[...]
    if let head = lines.popFirst(), head != subject.line {
      let problem = "it holds another evaluation, of another bundle, data or options"
      throw ModelError(.run, .unwritable(path, problem: problem))
    }
    do throws(FileFault) {
      file = try AppendedFile(path)
      try file.truncate(to: end)
      if end == 0 { try file.append(subject.line + [UInt8(ascii: "\n")]) }
    } catch {
      throw ModelError(.run, .unwritable(path, problem: error.problem))
    }
    for line in lines {
      guard let item = EvaluatedItem(line: line) else {
        throw ModelError(.run, .unwritable(path, problem: "somebody has changed it"))
      }
      recorded[item.index] = item
    }
  }

  /// Writes down what came of an item.
  func append(_ item: EvaluatedItem) throws(ModelError) {
    do throws(FileFault) {
      try file.append(item.line + [UInt8(ascii: "\n")])
    } catch {
      throw ModelError(.run, .unwritable(path, problem: error.problem))
    }
  }
}

/// What an evaluation is of; only one of the very same can be gone on with.
public struct EvaluationSubject: Sendable, Hashable {
  /// The digest of the bundle.
  public var bundle: String
  /// The data, and how many items it has.
  public var data: String
  /// How many items the data has.
  public var count: Int
  /// What else decides what comes out.
  public var options: [String]

  /// A bundle, data and options.
  public init(bundle: String, data: String, count: Int, options: [String]) {
    (self.bundle, self.data, self.count, self.options) = (bundle, data, count, options)
  }

  /// What the file begins with.
  var line: [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("evaluation", 1)
      writer.member("bundle", bundle)
      writer.member("data", data)
      writer.member("count", count)
      writer.member("options", array: { writer in options.forEach { writer.value($0) } })
    }
    return writer.bytes
  }
}
