internal import TensorIOCore
internal import TensorIOEvaluation

extension JSONWriter {
  /// Writes what each stage took, in milliseconds to the microsecond.
  mutating func write(_ stages: [StageSpeed]) {
    object { writer in
      for stage in stages {
        writer.member(
          stage.name,
          object: { writer in
            let figures = [
              ("p50", stage.p50), ("p90", stage.p90), ("p99", stage.p99), ("mean", stage.mean),
            ]
            for (name, value) in figures { writer.member(name, value.toThousandths) }
          })
      }
    }
  }
}

extension Double {
  /// The number without what is beyond three decimals.
  var toThousandths: Double { (self * 1000).rounded() / 1000 }
}

extension Int {
  /// Bytes as megabytes, to the tenth.
  var tenthsOfMegabytes: Double { (Double(self) / 1_048_576 * 10).rounded() / 10 }
}
