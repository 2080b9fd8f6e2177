internal import TensorIOSystem

/// How many threads a run uses when nobody says.
public enum ThreadCount {
  /// The most threads that a variable may ask for.
  static let limit = 1024

  /// `TENSORIO_THREADS`, else `OMP_NUM_THREADS`, else the processors that the machine, or the
  /// container that the process lives in, allows.
  public static let standard: Int =
    asked("TENSORIO_THREADS") ?? asked("OMP_NUM_THREADS")
    ?? min(containerProcessors() ?? .max, Platform.processorCount)

  private static func asked(_ variable: String) -> Int? {
    Platform.environment(variable).flatMap(parse)
  }

  /// A number of threads as a variable gives it.
  static func parse(_ text: String) -> Int? {
    guard let count = Int(text), (1...limit).contains(count) else { return nil }
    return count
  }

  /// The processors that the control group of the process may use, where it is limited.
  static func containerProcessors(_ file: String = "/sys/fs/cgroup/cpu.max") -> Int? {
    guard let bytes = try? FileBytes.beginning(of: file, limit: 256) else { return nil }
    return processors(quota: String(decoding: bytes, as: UTF8.self))
  }

  /// The processors that a control group's `cpu.max` allows: quota over period, rounded up.
  static func processors(quota line: String) -> Int? {
    let words = line.split(whereSeparator: \.isWhitespace).map { Double($0) }
    guard words.count == 2, let quota = words[0], let period = words[1], quota > 0, period > 0
    else { return nil }
    return Int(exactly: (quota / period).rounded(.up)).map { max(1, $0) }
  }
}
