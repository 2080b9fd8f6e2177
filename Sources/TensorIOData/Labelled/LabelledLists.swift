internal import TensorIOCore
internal import TensorIOSystem

/// The ways in which files tell of pictures and their labels.
enum LabelledLists {
  private static let columns = (image: "image", label: "label", part: "set")

  static func read(
    _ path: String, _ log: inout DataLog
  ) throws(ModelError) -> [LabelledPictures.Picture] {
    guard let kind = FileKind(at: path) else { throw ModelError(.input, .missingFile(path)) }
    if kind == .folder { return try folder(path, &log) }
    if path.hasEnding(["csv", "tsv"]) { return try table(path, &log) }
    if path.hasEnding(["ndjson", "jsonl"]) { return try lines(path, &log) }
    throw ModelError(
      .input,
      .wrongType(expected: "a folder of pictures, .csv, .tsv or .ndjson", actual: "something else"),
      file: path)
  }

  // MARK: Folders

  /// Pictures in a folder have its name for their label; those at the top have none.
  private static func folder(
    _ path: String, _ log: inout DataLog
  ) throws(ModelError) -> [LabelledPictures.Picture] {
    var pictures: [LabelledPictures.Picture] = []
    for name in try DataPath.names(in: path) {
      guard FileKind(at: "\(path)/\(name)") == .folder else {
        add(name, in: path, label: nil, to: &pictures, &log)
        continue
      }
      for inner in try DataPath.names(in: "\(path)/\(name)") {
        add("\(name)/\(inner)", in: path, label: name, to: &pictures, &log)
      }
    }
    return pictures
  }

  private static func add(
    _ name: String, in folder: String, label: String?,
    to pictures: inout [LabelledPictures.Picture], _ log: inout DataLog
  ) {
    let path = "\(folder)/\(name)"
    guard name.hasEnding(LabelledFolder.endings), FileKind(at: path) != .folder else {
      return log.add(.strayFile, path: name)
    }
    pictures.append(LabelledPictures.Picture(name: name, path: path, label: label))
  }

  // MARK: Tables

  private static func table(
    _ path: String, _ log: inout DataLog
  ) throws(ModelError) -> [LabelledPictures.Picture] {
    let bytes = try FileBytes.read(path, limit: DataSet.textLimit, .anything, stage: .input)
    let separator = UInt8(ascii: path.hasEnding(["tsv"]) ? "\t" : ",")
    var reader = TableReader(bytes, separator: separator)
    let header = reader.next()?.cells.map(\.text.trimmed) ?? []
    guard let image = header.firstIndex(of: columns.image) else {
      log.add(.missingColumn(columns.image), path: "", line: 1)
      return []
    }
    let label = header.firstIndex(of: columns.label)
    let part = header.firstIndex(of: columns.part)
    var pictures: [LabelledPictures.Picture] = []
    while let row = reader.next() {
      let texts = row.cells.map(\.text.trimmed)
      let fault =
        row.cells.count == header.count
        ? row.cells.compactMap(\.fault).first
        : .raggedRow(expected: header.count, found: row.cells.count)
      guard fault == nil, !texts[image].isEmpty else {
        log.add(fault ?? .missingValue, path: "", line: row.place.line)
        continue
      }
      pictures.append(
        picture(
          texts[image], label.map { texts[$0] }, part.map { texts[$0] }, in: path.folder,
          line: row.place.line, &log))
    }
    return pictures
  }

  private static func picture(
    _ name: String, _ label: String?, _ part: String?, in folder: String, line: Int,
    _ log: inout DataLog
  ) -> LabelledPictures.Picture {
    var picture = LabelledPictures.Picture(
      name: name, path: DataPath.resolve(name, in: folder),
      label: label.flatMap { $0.isEmpty ? nil : $0 })
    guard let part, !part.isEmpty else { return picture }
    picture.part = DataPart(name: part)
    if picture.part == nil {
      let problem = DataFault.unknownPart(part).at(path: name, line: line)
      picture.problem = problem
      log.add(problem)
    }
    return picture
  }

  // MARK: Lines

  private static func lines(
    _ path: String, _ log: inout DataLog
  ) throws(ModelError) -> [LabelledPictures.Picture] {
    let bytes = try FileBytes.read(path, limit: DataSet.textLimit, .anything, stage: .input)
    let lines = TextLines(bytes)
    var pictures: [LabelledPictures.Picture] = []
    for line in lines.all {
      do throws(PlacedFault) {
        let fields = try object(line, lines)
        pictures.append(
          picture(
            try fields.string(columns.image), try text(fields, columns.label),
            try text(fields, columns.part), in: path.folder, line: line.number, &log))
      } catch {
        log.add(error)
      }
    }
    return pictures
  }

  private static func object(
    _ line: TextLine, _ lines: TextLines
  ) throws(PlacedFault) -> JSONFields {
    let node: JSONNode
    do throws(DataFault) {
      node = try JSONNode(data: lines[line])
    } catch {
      throw PlacedFault(error, at: .text("", line: line.number))
    }
    return try JSONFields(node, line: line.number)
  }

  private static func text(
    _ fields: JSONFields, _ key: String
  ) throws(PlacedFault) -> String? {
    fields.has(key) ? try fields.string(key) : nil
  }
}
