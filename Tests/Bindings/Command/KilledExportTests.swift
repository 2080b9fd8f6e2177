import Foundation
import TensorIOTestSupport
import Testing

/// Exports that replace a bundle, by processes that are killed.
@Suite(.ownThreads) struct KilledExportTests {
  /// A bundle that is trained, and an input of it.
  struct Subject: Sendable, CustomTestStringConvertible {
    let bundle: String
    /// The data, or `nil` for the points of a line.
    let data: String?
    let input: String

    var testDescription: String { URL(filePath: bundle).lastPathComponent }
  }

  static let subjects = [
    Subject(
      bundle: ProjectFiles.path("Tests/Fixtures/TensorFlow/linear-regression-rate.tiobundle"),
      data: nil, input: "[1, 2]"),
    Subject(
      bundle: ProjectFiles.path("Examples/Bundles/digits-trainable-tflite.tiobundle"),
      data: TrainTests.heldOut,
      input: ProjectFiles.path(
        "Examples/Bundles/digits-trainable-tflite.tiobundle/samples/3-1.png")),
  ]
  private static let rounds = 6

  let training: TrainTests

  init() throws {
    training = try TrainTests()
  }

  /// Copies the original, and starts a process that exports over the copy.
  private func begin(
    _ subject: Subject, _ round: Int
  ) throws -> (bundle: String, process: RunningProcess) {
    let bundle = try training.folder.copy(subject.bundle, as: "copy-\(round).tiobundle")
    let data = try subject.data ?? training.points()
    let words = ["train", subject.bundle, data, "--export", bundle, "--force", "--seed", "1"]
    let process = try training.executable.start(words)
    while process.isRunning, !isBeingWritten(bundle) { usleep(200) }
    return (bundle, process)
  }

  /// Returns whether a replacement of a bundle is staged next to it.
  private func isBeingWritten(_ bundle: String) -> Bool {
    let name = URL(filePath: bundle).lastPathComponent + "."
    return training.folder.entries.contains { $0.hasPrefix(name) && $0.hasSuffix(".part") }
  }

  /// Returns the contents of all files of a bundle except the model card, which has the date.
  private static func contents(_ bundle: String) throws -> [String: Data] {
    var contents: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: bundle) {
      contents[name] = FileManager.default.contents(atPath: "\(bundle)/\(name)")
    }
    return contents.filter { $0.key != "CARD.md" }
  }

  @Test(.hangGuard, arguments: subjects)
  func `An export killed at any time leaves the old or the new bundle intact`(
    _ subject: Subject
  ) throws {
    let (trained, whole) = try begin(subject, 0)
    let start = ContinuousClock.now
    #expect(whole.wait().exitCode == 0)
    var duration = ContinuousClock.now - start
    let (old, new) = (try Self.contents(subject.bundle), try Self.contents(trained))
    #expect(old != new)
    var killed = 0
    for round in 1...Self.rounds {
      let (bundle, process) = try begin(subject, round)
      usleep(UInt32(Double.random(in: 0...1) * (duration / .microseconds(1))))
      process.kill()
      // The first export may have been slowed down by others.
      if process.wait().exitCode == -SIGKILL { killed += 1 } else { duration /= 2 }
      let found = try Self.contents(bundle)
      #expect(found == old || found == new, "round \(round): \(found.keys.sorted())")
      #expect(TestConsole.run(["run", bundle, subject.input]).exitCode == 0)
    }
    #expect(killed > 0)
  }

  /// Commands that make a bundle of another one; `TARGET` is the bundle that they replace.
  static let makers = [
    [
      "teach", ProjectFiles.path("Examples/Bundles/digits-embedder.tiobundle"), TrainTests.heldOut,
      "-o", "TARGET", "--force", "--no-cache",
    ], ["quantize", Example.digits, "--recipe", "float16", "-o", "TARGET", "--force"],
  ]

  @Test(.hangGuard, arguments: makers)
  func
    `Teaching and quantizing that are killed leave the old or the new bundle, and the next call no rest`(
      _ words: [String]
    ) throws
  {
    let folder = training.folder
    func start(_ target: String) throws -> RunningProcess {
      try training.executable.start(words.map { $0 == "TARGET" ? target : $0 })
    }
    for name in ["whole", "killed"] {
      try FileManager.default.createDirectory(
        atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
    }
    let first = try folder.copy(Example.digits, as: "whole/made.tiobundle")
    let old = try Self.contents(first)
    let begun = ContinuousClock.now
    #expect(try start(first).wait().exitCode == 0)
    let duration = ContinuousClock.now - begun
    let new = try Self.contents(first)
    #expect(old != new)
    let bundle = try folder.copy(Example.digits, as: "killed/made.tiobundle")
    let parent = URL(filePath: bundle).deletingLastPathComponent().path
    var killed = 0
    for round in 1...Self.rounds {
      let process = try start(bundle)
      if round.isMultiple(of: 2) {
        // While the bundle is written.
        while process.isRunning,
          try FileManager.default.contentsOfDirectory(atPath: parent).count == 1
        { usleep(100) }
        usleep(UInt32(Double.random(in: 0...1) * 3000))
      } else {
        usleep(UInt32(Double.random(in: 0...1) * (duration / .microseconds(1))))
      }
      process.kill()
      if process.wait().exitCode == -SIGKILL { killed += 1 }
      let found = try Self.contents(bundle)
      #expect(found == old || found == new, "round \(round): \(found.keys.sorted())")
      #expect(TestConsole.run(["validate", bundle]).exitCode == 0)
    }
    #expect(killed > 0)
    #expect(try start(bundle).wait().exitCode == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: parent) == ["made.tiobundle"])
    #expect(try Self.contents(bundle) == new)
  }
}
