import Foundation
import TensorIOImage

/// A folder of JPEGs on all processors.
///
/// Ours is a whole process; the scripts do not count their start, which would be most of it.
extension Job {
  static let wholeFolder =
    jobs("folder", "large model", Place.largeBundle, python: 1 / 1.15, script: 1 / 3)
    + jobs("folder-small", "small model", Place.smallBundle, python: 1 / 1.25, script: 1 / 4)

  private static func jobs(
    _ name: String, _ size: String, _ bundle: String, python: Double, script: Double
  ) -> [Job] {
    let title = "180 JPEGs, \(size)"
    let threads = ["--threads", "\(processors)"]
    return [
      Job(name, title, against: "C program, all processors", .time(times: 1), .peakMemory) {
        let floor = [Place.classifyFloor, "folder"] + subject(bundle) + threads
        return Contest(
          .process(ours(bundle, "linear")), against: .process(floor),
          agreement: try agreement(ours(bundle, "linear"), with: labels(ofFloor: floor)))
      },
      smallest(
        name + "-python", title, against: "Python: OpenCV at half the size, all processors",
        .time(times: python), self.script("opencv", bundle) + threads, bundle),
      smallest(
        name + "-least", title, against: "Python: OpenCV at our scale, all processors", .time,
        self.script("opencv-least", bundle) + threads, bundle),
      Job(
        name + "-script", title, against: "Python: Pillow, typical script", .time(times: script)
      ) {
        let peer = self.script("script", bundle)
        return Contest(
          .process(ours(bundle, "bilinear")), against: .peer(peer, median: "folder"),
          agreement: try agreement(ours(bundle, "bilinear"), with: labels(ofScript: peer)))
      },
    ]
  }

  /// Ours with pictures that are decoded as small as the model allows.
  private static func smallest(
    _ name: String, _ title: String, against other: String, _ goal: Goal, _ peer: [String],
    _ bundle: String
  ) -> Job {
    Job(name, title + ", `--decode-scale 1x`", against: other, goal) {
      let ours = ours(bundle, "linear", .single)
      return Contest(
        .process(ours), against: .peer(peer, median: "folder"),
        agreement: try agreement(ours, with: labels(ofScript: peer)))
    }
  }

  private static let processors = ProcessInfo.processInfo.activeProcessorCount

  /// The peer's filter, fit, and as many labels.
  private static func ours(
    _ bundle: String, _ filter: String, _ detail: DecodeScale = .double
  ) -> [String] {
    [
      Place.tensorio, "run", bundle, Place.pictures, "--fit", "stretch", "--resample", filter,
      "--decode-scale", detail.rawValue, "--top", "5", "--format", "ndjson",
    ]
  }

  private static func subject(_ bundle: String) -> [String] {
    [bundle + "/model.tflite", bundle + "/assets/labels.txt", Place.pictures]
  }

  private static func script(_ way: String, _ bundle: String) -> [String] {
    [Place.python, Place.folderScript, way] + subject(bundle)
      + ["--rounds", "1", "--iterations", "1"]
  }
}

// MARK: Agreement

extension Job {
  /// How many pictures have the same label first.
  private static func agreement(
    _ words: [String], with theirs: [String: String]
  ) throws -> String {
    let ours = try labels(ofOurs: words)
    let same = ours.count { theirs[$0.key] == $0.value }
    return "\(same) of \(ours.count) top 1"
  }

  private static func labels(ofOurs words: [String]) throws -> [String: String] {
    try lines(of: words).reduce(into: [:]) { labels, line in
      let record = try JSONDecoder().decode(FolderRecord.self, from: Data(line.utf8))
      labels[name(record.input)] = record.outputs.values.first?.first?.label
    }
  }

  /// `PATH SCORE LABEL SCORE LABEL…`, of which labels may have spaces.
  private static func labels(ofFloor words: [String]) throws -> [String: String] {
    try lines(of: words).reduce(into: [:]) { labels, line in
      let words = line.split(separator: " ")
      let label = words.dropFirst(2).prefix { Double($0) == nil }
      labels[name(String(words[0]))] = label.joined(separator: " ")
    }
  }

  private static func labels(ofScript words: [String]) throws -> [String: String] {
    try lines(of: words + ["--print", "yes"]).reduce(into: [:]) { labels, line in
      let pair = line.split(separator: " ", maxSplits: 1)
      labels[String(pair[0])] = String(pair[1])
    }
  }

  private static func lines(of words: [String]) throws -> [String] {
    String(decoding: try Subprocess.output(of: words), as: UTF8.self)
      .split(separator: "\n").map(String.init)
  }

  private static func name(_ path: String) -> String {
    path.split(separator: "/").last.map(String.init) ?? path
  }
}

/// What is needed of a line of `tensorio run`.
private struct FolderRecord: Decodable {
  struct Entry: Decodable {
    let label: String
  }

  let input: String
  let outputs: [String: [Entry]]
}
