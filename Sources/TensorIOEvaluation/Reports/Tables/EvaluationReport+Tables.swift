internal import TensorIOData

extension EvaluationReport {
  /// All figures as comma-separated values: a row for each model, data, figure and value.
  ///
  /// The columns are `model`, `data`, `figure`, `value` and `unit`. A figure with several values has
  /// a row for each, in order. Counts, times and memory stand among the figures.
  public var figuresTable: [UInt8] {
    var table = TableWriter()
    table.row(["model", "data", "figure", "value", "unit"])
    for result in results {
      for figure in result.allFigures {
        for value in figure.values {
          table.row(result.place + [figure.name, "\(value)", figure.unit.rawValue])
        }
      }
    }
    return table.bytes
  }

  /// The figures of all classes as comma-separated values: a row for each class and figure.
  ///
  /// The columns are `model`, `data`, `class`, `count`, `figure`, `value` and `unit`.
  public var classesTable: [UInt8] {
    var table = TableWriter()
    table.row(["model", "data", "class", "count", "figure", "value", "unit"])
    for result in results {
      for line in result.classes {
        for figure in line.figures {
          for value in figure.values {
            table.row(
              result.place + [line.label, "\(line.count)", figure.name, "\(value)"]
                + [figure.unit.rawValue])
          }
        }
      }
    }
    return table.bytes
  }
}

extension EvaluationResult {
  fileprivate var place: [String] { [model.path, data] }

  fileprivate var allFigures: [Figure] {
    [Figure("count", Double(count)), Figure("errors", Double(errors.count), better: .lower)]
      + figures + speed.figures
  }
}
