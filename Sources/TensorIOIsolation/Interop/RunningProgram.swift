internal import CIsolation

/// The program that this process runs.
package enum RunningProgram {
  /// Where it is, links followed; `nil` where the system does not tell.
  package static let path: String? = {
    var path = [CChar](repeating: 0, count: 4096)
    guard unsafe cisolation_executable(&path, path.count) else { return nil }
    return String(decoding: path.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
  }()
}
