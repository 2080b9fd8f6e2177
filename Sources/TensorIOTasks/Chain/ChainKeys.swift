/// The keys that the objects of a `chain.json` may have.
enum ChainKeys {
  static let chain = ["$schema", "name", "id", "version", "details", "inputs", "steps"]
  static let step = ["name", "inputs"] + kinds
  /// Of these, a step has one.
  static let kinds = ["bundle", "align", "refine"]
  static let align = ["picture", "detections", "points", "width", "height", "whiten"]
  static let refine = ["picture", "detections", "scale"]
}
