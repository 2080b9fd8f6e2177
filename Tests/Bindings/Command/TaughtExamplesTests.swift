import Foundation
import TensorIO
import TensorIOTeaching
import TensorIOTestSupport
import Testing

/// Classes of images and recordings, compared with scikit-learn on the embeddings that LiteRT computes of the same examples
/// (`Models/make_teaching_goldens.py`).
@Suite(.ownThreads) struct TaughtExamplesTests {
  private static let goldens =
    (try? JSONTree(
      contentsOf: ProjectFiles.path("Tests/Fixtures/Teaching/examples.json")))?.array ?? []
  private static let (digits, otherDigits) = (["0", "1", "2", "7", "9"], ["5", "8"])

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static func goldens(_ name: String) -> [JSONTree] {
    goldens.filter { $0["name"]?.string == name }
  }

  private static func files(_ folder: String, _ label: String, _ count: Int) throws -> [String] {
    let path = ProjectFiles.path("Examples/Data/\(folder)/\(label)")
    return try FileManager.default.contentsOfDirectory(atPath: path)
      .sorted().prefix(count).map { "\(path)/\($0)" }
  }

  /// Teaches classes, and compares the bundle that was written with a golden.
  private func check(
    _ bundle: String, _ train: [[String]], _ test: [[String]], _ others: [String],
    _ golden: JSONTree
  ) throws {
    let shots = Int(try #require(golden["shots"]?.number))
    var teacher = try Teacher(
      Model(at: ProjectFiles.path("Examples/Bundles/\(bundle).tiobundle")),
      .init(cacheFolder: nil))
    for (label, files) in train.enumerated() {
      for file in files.prefix(shots) { try teacher.add(filesAt: file, as: "class \(label)") }
    }
    #expect(teacher.exampleCounts == train.map { _ in shots })
    let taught = try teacher.fit()
    #expect(taught.report.regularization == golden["c"]?.number)
    let path = "\(folder.path)/\(shots).tiobundle"
    try taught.export(to: path)
    let model = try Model(at: path)

    /// Returns the best label of a file, and the best one of the classes.
    func best(_ file: String) throws -> (label: String?, class: String?) {
      let output =
        file.hasSuffix(".wav")
        ? try model.run(AudioBuffer(contentsOf: file))
        : try model.run(ImageBuffer(contentsOf: file))
      let entries = try #require(try output["probabilities"].classification?.entries)
      let known = entries.filter { $0.label != Teacher.unknownLabel }
      return (
        entries.max { $0.score < $1.score }?.label, known.max { $0.score < $1.score }?.label
      )
    }
    var (rightCount, rejectedCount, count) = (0, 0, 0)
    for (label, files) in test.enumerated() {
      for file in files {
        count += 1
        let found = try best(file)
        if found.class == "class \(label)" { rightCount += 1 }
        if found.label == Teacher.unknownLabel { rejectedCount += 1 }
      }
    }
    #expect(Double(count) == golden["tests"]?.number)
    let accuracy = try #require(golden["accuracy"]?.number)
    #expect(abs(Double(rightCount) / Double(count) - accuracy) <= 0.005, "\(rightCount)")
    let known = try #require(golden["known_rejected"]?.number)
    #expect(abs(Double(rejectedCount) / Double(count) - known) <= 0.02, "\(rejectedCount)")
    let rejected = try others.count { try best($0).label == Teacher.unknownLabel }
    let unknown = try #require(golden["others_rejected"]?.number)
    #expect(abs(Double(rejected) / Double(others.count) - unknown) <= 0.02, "\(rejected)")
  }

  @Test(arguments: goldens("images"))
  func `Images are recognized and rejected as by scikit-learn`(_ golden: JSONTree) throws {
    try check(
      "digits-embedder", Self.digits.map { try Self.files("digits-training", $0, 20) },
      Self.digits.map { try Self.files("digits-held-out", $0, 30) },
      Self.otherDigits.flatMap { try Self.files("digits-held-out", $0, 30) }, golden)
  }

  /// Writes two sine waves, whose frequencies are near those of a class, and noise, of one window of the model.
  private func tone(
    _ random: inout SeededGenerator, _ number: Int, _ name: String
  ) throws -> String {
    func noise(_ random: inout SeededGenerator) -> Double {
      (0..<4).reduce(0.0) { sum, _ in sum + Double(random.next() >> 11) * 0x1p-53 } - 2
    }
    let (rate, count) = (8000, 3960)
    let frequency = 300 * pow(1.25, Double(number)) * (1 + 0.06 * noise(&random))
    let loudness = 0.25 + 0.1 * noise(&random)
    var samples: [Int16] = []
    for time in 0..<count {
      let angle = 2 * Double.pi * frequency * Double(time) / Double(rate)
      let sample = 0.2 * sin(angle) + 0.1 * sin(2 * angle) + 0.3 * loudness * noise(&random)
      samples.append(Int16(sample * 32767))
    }
    func bytes(_ value: Int, _ size: Int) -> [UInt8] {
      (0..<size).map { UInt8(value >> (8 * $0) & 0xFF) }
    }
    let body = samples.flatMap { bytes(Int(UInt16(bitPattern: $0)), 2) }
    let head =
      Array("RIFF".utf8) + bytes(36 + body.count, 4) + Array("WAVEfmt ".utf8) + bytes(16, 4)
      + bytes(1, 2) + bytes(1, 2) + bytes(rate, 4) + bytes(2 * rate, 4) + bytes(2, 2)
      + bytes(16, 2) + Array("data".utf8) + bytes(body.count, 4)
    let path = "\(folder.path)/\(name).wav"
    try Data(head + body).write(to: URL(filePath: path))
    return path
  }

  @Test func `Recordings are recognized and rejected as by scikit-learn`() throws {
    var random = SeededGenerator(seed: 5)
    var train: [[String]] = []
    var test: [[String]] = []
    for number in 0..<5 {
      train.append(try (0..<20).map { try tone(&random, number, "train-\(number)-\($0)") })
    }
    for number in 0..<5 {
      test.append(try (0..<20).map { try tone(&random, number, "test-\(number)-\($0)") })
    }
    let others = try (0..<20).map { try tone(&random, 7, "other-\($0)") }
    let goldens = Self.goldens("recordings")
    #expect(goldens.count == 3)
    for golden in goldens { try check("tones", train, test, others, golden) }
  }
}
