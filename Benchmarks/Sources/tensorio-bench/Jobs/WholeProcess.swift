import Foundation

/// One JPEG from exec to exit.
extension Job {
  static let wholeProcess = [
    Job(
      "process", "whole process, one JPEG: `tensorio run` with defaults", against: "C program",
      .time(times: 1.15), .peakMemory(times: 1.5)
    ) {
      Contest(.process(ours()), against: .process(floor))
    },
    Job(
      "process-alike", "whole process, one JPEG: with the C program's filter, fit and labels",
      against: "C program", .time(times: 1.15), .peakMemory(times: 1.5)
    ) {
      Contest(
        .process(ours(alike("linear"))), against: .process(floor),
        agreement: try agreement("linear", with: floor))
    },
    Job(
      "process-python", "whole process, one JPEG: with the script's filter, fit and labels",
      against: "Python: Pillow, numpy, LiteRT", .time(times: 1 / 6), .peakMemory
    ) {
      Contest(
        .process(ours(alike("bilinear"))), against: .process(script),
        agreement: try agreement("bilinear", with: script))
    },
  ]

  private static func ours(_ flags: [String] = []) -> [String] {
    [Place.tensorio, "run", Place.largeBundle, Place.picture, "--threads", "1"] + flags
  }

  /// The options that make the command equal to the peer.
  private static func alike(_ filter: String) -> [String] {
    ["--fit", "stretch", "--resample", filter, "--top", "5"]
  }

  private static let subject = [
    Place.largeBundle + "/model.tflite", Place.largeBundle + "/assets/labels.txt", Place.picture,
  ]
  private static let floor = [Place.classifyFloor, "once"] + subject + ["--threads", "1"]
  private static let script = [Place.python, Place.classifyScript] + subject + ["1"]

  /// Whether both put the same label first.
  private static func agreement(_ filter: String, with peer: [String]) throws -> String {
    let record = try JSONDecoder().decode(
      Record.self, from: Subprocess.output(of: ours(alike(filter))))
    let lines = String(decoding: try Subprocess.output(of: peer), as: UTF8.self)
    let theirs = lines.prefix { $0 != "\n" }.drop { $0 != " " }.dropFirst()
    return record.outputs.values.first?.first?.label == String(theirs)
      ? "same top 1" : "another top 1"
  }
}

/// What is needed of a line of `tensorio run`.
private struct Record: Decodable {
  struct Entry: Decodable {
    let label: String
  }

  let outputs: [String: [Entry]]
}
