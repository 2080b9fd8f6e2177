internal import TensorIOCore
internal import TensorIOSystem

/// A JSON object per line, with a member for each layer: `.ndjson`.
struct ObjectLines: DataForm {
  static let files = "an .ndjson file with an object per line"

  let labels: [String]
  private let lines: TextLines
  private let folder: String
  private let wanted: WantedData

  static func reads(_ path: String, _ kind: FileKind) -> Bool {
    kind != .folder && path.hasEnding(["ndjson", "jsonl"])
  }

  init(at path: String, for wanted: WantedData, _ log: inout DataLog) throws(ModelError) {
    lines = TextLines(
      try FileBytes.read(path, limit: DataSet.textLimit, .anything, stage: .input))
    folder = path.folder
    labels = wanted.labels
    self.wanted = wanted
    for line in lines.all where !log.isFull { check(line, &log) }
  }

  var count: Int { lines.all.count }

  func name(at index: Int) -> String { "line \(lines.all[index].number)" }

  func value(at index: Int, where isWanted: (DataColumn) -> Bool) -> DataValue? {
    guard let column = wanted.columns.first(where: isWanted),
      let object = try? object(lines.all[index]),
      let member = object.first(where: { $0.name == column.layer.name })
    else { return nil }
    return try? column.value(of: member.value, besides: folder)
  }

  func item(at index: Int) throws(ModelError) -> [String: LayerValue] {
    var item: [String: LayerValue] = [:]
    do {
      for member in try object(lines.all[index]) {
        guard let column = wanted[member.name] else { continue }
        item[member.name] = try column.value(of: member.value, besides: folder).load()
      }
    } catch let fault as DataFault {
      throw ModelError(.input, .invalidData([fault.at(path: "", line: lines.all[index].number)]))
    } catch let error as ModelError {
      throw error
    } catch {
      throw ModelError(.input, .failed("\(error)"))
    }
    return item
  }
}

// MARK: Checks

extension ObjectLines {
  /// The members of a line's object.
  private func object(_ line: TextLine) throws(DataFault) -> JSONMembers {
    let root = try JSONNode(data: lines[line])
    guard let members = root.members else { throw .notAnObject(root) }
    return members
  }

  private func check(_ line: TextLine, _ log: inout DataLog) {
    do throws(DataFault) {
      var missing = wanted.names
      for member in try object(line) {
        missing.removeAll { $0 == member.name }
        guard let fault = fault(of: member) else { continue }
        let column = member.value.position.column
        log.add(fault, path: member.name, line: line.number, column: column)
      }
      for name in missing { log.add(.missingColumn(name), path: "", line: line.number) }
    } catch {
      log.add(error, path: "", line: line.number)
    }
  }

  private func fault(of member: JSONMember) -> DataFault? {
    guard let column = wanted[member.name] else {
      return .unknownColumn(member.name, among: wanted.names)
    }
    do throws(DataFault) {
      return column.fault(of: try column.value(of: member.value, besides: folder))
    } catch {
      return error
    }
  }
}
