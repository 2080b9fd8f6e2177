import TensorIOBundle
import TensorIOCore
import TensorIOJSON
import TensorIOSystem

/// One JSON object per line, with a member for each layer: `.ndjson`.
struct NDJSONFormat: ExampleFormat {
  static let summary = "an .ndjson file with an object per line"

  let labels: [String]
  private let lines: IndexedLines
  private let folder: String
  private let requirements: DataRequirements
  /// The values of each line that belong to no layer; empty if there are none in any line.
  private var attributes: [Int: [String: String]] = [:]

  static func matches(_ path: String, _ kind: FileKind) -> Bool {
    kind != .directory && path.hasFileExtension(in: ["ndjson", "jsonl"])
  }

  init(
    at path: String, for requirements: DataRequirements, _ log: inout DataDiagnosticLog
  ) throws(ModelError) {
    lines = IndexedLines(
      try FileBytes.read(path, limit: ExampleDataset.maxTextBytes, .any, stage: .input))
    folder = path.parentDirectory
    labels = requirements.labels
    self.requirements = requirements
    for (index, line) in lines.all.enumerated() where !log.isErrorLimitReached {
      check(line, at: index, &log)
    }
  }

  func attributes(at index: Int) -> [String: String] { attributes[index] ?? [:] }

  var count: Int { lines.all.count }

  func name(at index: Int) -> String { "line \(lines.all[index].number)" }

  func value(at index: Int, where predicate: (DataColumn) -> Bool) -> DataValue? {
    guard let column = requirements.columns.first(where: predicate),
      let object = try? object(lines.all[index]),
      let member = object.first(where: { $0.name == column.layer.name })
    else { return nil }
    return try? column.value(of: member.value, relativeTo: folder)
  }

  func item(at index: Int) throws(ModelError) -> [String: LayerValue] {
    var item: [String: LayerValue] = [:]
    do {
      for member in try object(lines.all[index]) {
        guard let column = requirements[member.name] else { continue }
        item[member.name] = try column.value(of: member.value, relativeTo: folder).load()
      }
    } catch let error as DataDiagnostic {
      throw ModelError(
        .input, .invalidData([error.diagnostic(path: "", line: lines.all[index].number)]))
    } catch let error as ModelError {
      throw error
    } catch {
      throw ModelError(.input, .failed("\(error)"))
    }
    return item
  }
}

// MARK: Checks

extension NDJSONFormat {
  /// Parses a line and returns its members.
  private func object(_ line: IndexedLine) throws(DataDiagnostic) -> JSONMembers {
    let root = try JSONNode(parsingData: lines[line])
    guard let members = root.members else { throw .notAnObject(root) }
    return members
  }

  /// Checks a line; if no layer is missing, members that belong to none are attributes.
  private mutating func check(
    _ line: IndexedLine, at index: Int, _ log: inout DataDiagnosticLog
  ) {
    do throws(DataDiagnostic) {
      let members = try object(line)
      let missing = requirements.names.filter { name in !members.contains { $0.name == name } }
      for member in members {
        if missing.isEmpty, requirements[member.name] == nil, let text = member.value.attributeText
        {
          attributes[index, default: [:]][member.name] = text
          continue
        }
        guard let diagnostic = diagnostic(for: member) else { continue }
        let column = member.value.position.column
        log.add(diagnostic, path: member.name, line: line.number, column: column)
      }
      for name in missing { log.add(.missingColumn(name), path: "", line: line.number) }
    } catch {
      log.add(error, path: "", line: line.number)
    }
  }

  private func diagnostic(for member: JSONMember) -> DataDiagnostic? {
    guard let column = requirements[member.name] else {
      return .unknownColumn(member.name, among: requirements.names)
    }
    do throws(DataDiagnostic) {
      return column.diagnostic(for: try column.value(of: member.value, relativeTo: folder))
    } catch {
      return error
    }
  }
}

extension JSONNode {
  /// The text, number or truth value; `nil` for other values.
  fileprivate var attributeText: String? {
    if let string { return string }
    if let bool { return bool ? "true" : "false" }
    if let int { return String(int) }
    return double.map { $0.shortestText }
  }
}
