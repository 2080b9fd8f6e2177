public import TensorIOCore

// MARK: Writing

extension EvaluationReport {
  /// The report as scripts read it: a list with an object for each result.
  ///
  /// Every object is whole: what the report says of itself stands in each, under `report`. A number
  /// that is none is `null`; the infinities are the strings `"Infinity"` and `"-Infinity"`. Of
  /// figures with the same name, the first is written.
  public var json: [UInt8] {
    var writer = JSONWriter(.indented)
    writer.array { writer in
      for result in results {
        writer.object { writer in
          result.writeMembers(to: &writer)
          writeOrigin(to: &writer)
        }
      }
    }
    return writer.bytes + Array("\n".utf8)
  }

  private func writeOrigin(to writer: inout JSONWriter) {
    writer.member(
      "report",
      object: { writer in
        writer.member("command", command)
        writer.member("date", date)
        writer.member("program", program)
        writer.member("machine", machine)
      })
  }
}

// MARK: Reading

extension EvaluationReport {
  /// Reads what ``json`` wrote; a report without results has nothing to tell of itself either.
  public init(json bytes: [UInt8]) throws(ModelError) {
    let document: JSONDocument
    do {
      document = try JSONDocument(
        parsing: bytes, limits: JSONLimits(bytes: JSONLimits.maximumBytes))
    } catch {
      throw ModelError(.input, .invalidJSON(error))
    }
    guard let elements = document.root.elements else {
      throw .isNo("a list of results", document.root)
    }
    self.init([], command: "", date: "", program: "", machine: "")
    for element in elements {
      let fields = try ReportFields(element)
      results.append(try EvaluationResult(fields))
      try readOrigin(fields.fields("report"))
    }
  }

  private mutating func readOrigin(_ fields: ReportFields) throws(ModelError) {
    command = try fields.string("command")
    date = try fields.string("date")
    program = try fields.string("program")
    machine = try fields.string("machine")
  }
}
