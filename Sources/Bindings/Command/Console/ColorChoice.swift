import TensorIOCore

/// Whether text is colored.
enum ColorChoice: String, CaseIterable {
  /// Text on a terminal is colored, unless the environment disables it.
  case auto
  case always, never

  /// The option that makes the choice.
  static let flag = Flag(
    "color", "WHEN", "Color of text: auto, always or never (default: auto)",
    choices: allCases.map(\.rawValue))

  /// Reads the choice from a command line that has not been parsed, whose errors are colored too.
  ///
  /// - Parameter arguments: The arguments of the program.
  init(_ arguments: [String]) {
    self = .auto
    for (index, argument) in arguments.prefix(while: { $0 != "--" }).enumerated() {
      let value =
        argument == "--\(Self.flag.name)"
        ? arguments.dropFirst(index + 1).first
        : argument.split(separator: "=").first == "--\(Self.flag.name)"
          ? argument.split(separator: "=").last.map(String.init) : nil
      if let choice = value.flatMap(ColorChoice.init(rawValue:)) { self = choice }
    }
  }

  /// Returns whether text on a stream is colored.
  ///
  /// - Parameters:
  ///   - isTerminal: Whether the stream is a terminal.
  ///   - environment: Returns environment variables: `NO_COLOR` disables colors, `FORCE_COLOR` enables them for
  ///     other streams than terminals.
  /// - Returns: Whether it is colored.
  func isColored(isTerminal: Bool, environment: (String) -> String?) -> Bool {
    switch self {
    case .always: return true
    case .never: return false
    case .auto:
      guard (environment("NO_COLOR") ?? "").isEmpty else { return false }
      if let force = environment("FORCE_COLOR"), !force.isEmpty { return force != "0" }
      return isTerminal && environment("TERM") != "dumb"
    }
  }
}
