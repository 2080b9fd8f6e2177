internal import TensorIOCore

extension EvaluatedItem {
  /// The item as a line of a journal.
  var line: [UInt8] {
    var writer = JSONWriter(.compact)
    writer.object { writer in
      writer.member("item", index)
      writer.member("name", name)
      switch outcome {
      case .failed(let code, let message):
        writer.member("error", code)
        writer.member("message", message)
      case .judged(let judgements, let runs):
        writer.member("judged", array: { writer in
          for judgement in judgements { judgement.write(to: &writer) }
        })
        writer.member("ns", array: { writer in
          for run in runs { writer.numbers(run.stages.map { $0.duration.nanoseconds }) }
        })
      }
    }
    return writer.bytes
  }

  /// The item that a line tells of; `nil` when it tells of none.
  init?(line: [UInt8]) {
    guard let root = try? JSONDocument(parsing: line).root, let index = root["item"]?.int,
      let name = root["name"]?.string, let number = Int(exactly: index), number >= 0
    else { return nil }
    guard let outcome = Self.outcome(root) else { return nil }
    self.init(index: number, name: name, outcome: outcome)
  }

  private static func outcome(_ root: JSONNode) -> Outcome? {
    if let code = root["error"]?.string, let message = root["message"]?.string {
      return .failed(code: code, message: message)
    }
    guard let judged = root["judged"]?.elements.map(Array.init),
      let times = root["ns"]?.elements.map(Array.init)
    else { return nil }
    let judgements = judged.compactMap(Judgement.init)
    let runs = times.compactMap(Timings.init)
    guard judgements.count == judged.count, runs.count == times.count else { return nil }
    return .judged(judgements, runs)
  }
}

extension Judgement {
  /// Its names come first, where it has any; a number that is not finite is written as `null`.
  fileprivate func write(to writer: inout JSONWriter) {
    writer.object { writer in
      if !names.isEmpty {
        writer.member("names", array: { writer in names.forEach { writer.value($0) } })
      }
      writer.key("numbers")
      writer.numbers(numbers)
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
    (picture, input, run, output) = (durations[0], durations[1], durations[2], durations[3])
    total = durations[4]
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
