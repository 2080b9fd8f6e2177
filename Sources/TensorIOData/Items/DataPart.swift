/// What somebody set an item apart for.
public enum DataPart: String, Sendable, Hashable, CaseIterable {
  /// To learn from.
  case train = "TRAIN"
  /// To watch the learning with.
  case validation = "VALIDATION"
  /// To judge by at the end.
  case test = "TEST"
  /// For whatever it is needed.
  case unassigned = "UNASSIGNED"

  /// A part by any of its names, in whichever case.
  public init?(name: String) {
    switch name.uppercased() {
    case "TRAIN", "TRAINING": self = .train
    case "VALIDATION", "VALIDATE", "VAL": self = .validation
    case "TEST": self = .test
    case "UNASSIGNED": self = .unassigned
    default: return nil
    }
  }
}
