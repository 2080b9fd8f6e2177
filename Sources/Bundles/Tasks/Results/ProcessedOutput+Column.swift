import TensorIOBundle
package import TensorIOCore

extension TaskPostprocessor.ProcessedOutput {
  /// Returns the outputs of several runs of a model as a column of records, whose members are those of the JSON: the
  /// result of the task under its name, and the outputs beside it.
  package static func column(
    of runs: [TaskPostprocessor.ProcessedOutput], labels: LabelSelection
  ) -> ResultColumn {
    let results = uniqued(runs.compactMap(\.result?.key)).map { key in
      let results = runs.map { $0.result?.key == key ? $0.result : nil }
      return ResultColumn.Member(key, column(of: results))
    }
    let outputs = uniqued(runs.flatMap { $0.output.layers.map(\.name) }).map { name in
      let values = runs.map { run in run.output.layers.first { $0.name == name }?.value }
      return ResultColumn.Member(
        name, column(of: values) { LayerValue.column(of: $0, labels: labels) })
    }
    return .records(results + outputs)
  }

  private static func column(of results: [(any TaskResult)?]) -> ResultColumn {
    func column<Result: TaskResult>(like _: Result) -> ResultColumn {
      self.column(of: results.map { $0 as? Result }, Result.column)
    }
    return results.lazy.compactMap(\.self).first.map { column(like: $0) } ?? .texts([])
  }

  /// Returns values as a column, of optionals if some are missing.
  private static func column<Value>(
    of values: [Value?], _ column: ([Value]) -> ResultColumn
  ) -> ResultColumn {
    let present = column(values.compactMap(\.self))
    guard present.count < values.count else { return present }
    return .optionals(isPresent: values.map { $0 != nil }, of: present)
  }

  private static func uniqued(_ names: [String]) -> [String] {
    var found: Set<String> = []
    return names.filter { found.insert($0).inserted }
  }
}
