import Foundation

/// The circumstances of a run.
struct Machine {
  /// The day, as every country reads it.
  var date: String { Date.now.formatted(.iso8601.year().month().day()) }

  /// The processor's model and how many there are.
  var processor: String {
    let count = ProcessInfo.processInfo.activeProcessorCount
    let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = lines.split(separator: "\n").first { $0.hasPrefix("model name") }
    let model = line?.split(separator: ":").last?.trimmingCharacters(in: .whitespaces)
    return "\(model ?? "unknown processor") × \(count)"
  }

  /// The libraries of both sides: the peers' pinned packages, and the codec that all share.
  var versions: String {
    let pins = (try? String(contentsOfFile: Place.requirements, encoding: .utf8)) ?? ""
    let packages = pins.split(separator: "\n").filter { $0.contains("==") && !$0.contains("#") }
      .map { $0.split(separator: "=").joined(separator: " ") }
    let codec = try? Subprocess.output(
      of: ["/usr/bin/env", "pkg-config", "--modversion", "libturbojpeg"])
    let turbo = codec.map { String(decoding: $0, as: UTF8.self) }?.trimmingCharacters(
      in: .whitespacesAndNewlines)
    return (packages + [turbo.map { "libjpeg-turbo \($0)" }].compactMap(\.self))
      .joined(separator: ", ")
  }
}
