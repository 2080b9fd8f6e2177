/// How data is written.
enum OutputFormat: String, Sendable, CaseIterable {
  case text, json, ndjson, csv

  /// The flag that chooses it.
  static let flag = Flag(
    "format", "FORMAT", "text, json, ndjson or csv", choices: allCases.map(\.rawValue))
}
