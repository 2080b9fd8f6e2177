import Foundation
import TensorIOTestSupport
import Testing

/// Replays the fuzzing corpus and modifies it; `Scripts/check/fuzz` extends it.
///
/// The tests are serialized because some readers use files in a shared folder.
@Suite(.serialized, .ownThreads) struct FuzzedReaderTests {
  private static let folder = "Tests/Fixtures/Fuzz"
  /// The number of modified inputs for each reader; `.ci/run` sets 2,000.
  private static let modifiedInputs =
    ProcessInfo.processInfo.environment["TENSORIO_FUZZ_INPUTS"].flatMap { Int($0) } ?? 50
  /// The inputs that exposed a defect in a reader.
  private static let findings = FuzzedReader.allCases.flatMap { reader in
    corpus(of: reader).filter { $0.lastPathComponent.hasPrefix("found-") }
  }

  private static func corpus(of reader: FuzzedReader) -> [URL] {
    ProjectFiles.entries(of: "\(folder)/\(reader.rawValue)").map { URL(filePath: $0) }
  }

  @Test(arguments: FuzzedReader.allCases)
  func `A reader handles its corpus`(reader: FuzzedReader) throws {
    let files = Self.corpus(of: reader)
    #expect(!files.isEmpty)
    for file in files { try read(file, reader) }
  }

  @Test(arguments: findings)
  func `Every reader handles every finding`(file: URL) throws {
    for reader in FuzzedReader.allCases { try read(file, reader) }
  }

  @Test(arguments: FuzzedReader.allCases)
  func `A reader handles modified inputs of its corpus`(reader: FuzzedReader) throws {
    let corpus = try Self.corpus(of: reader).map { [UInt8](try Data(contentsOf: $0)) }
    var generator = SeededGenerator(seed: 1)
    for number in 0..<Self.modifiedInputs {
      var input = corpus[number % corpus.count]
      if number % 4 == 3, let other = corpus.randomElement(using: &generator) {
        input = input.spliced(with: other, &generator)
      }
      input.mutate(&generator)
      do throws(PropertyViolation) {
        try reader.read(input)
      } catch {
        Issue.record("\(reader.rawValue): \(error): \(Data(input).base64EncodedString())")
      }
    }
  }

  @Test func `Every corpus folder belongs to a reader`() {
    let folders = ProjectFiles.entries(of: Self.folder).map { URL(filePath: $0).lastPathComponent }
    #expect(folders == FuzzedReader.allCases.map(\.rawValue).sorted())
  }

  @Test(arguments: [FuzzedReader.detections, .segmentations, .poses])
  func `The outputs of a corpus are decoded`(reader: FuzzedReader) throws {
    for file in Self.corpus(of: reader) where file.lastPathComponent.hasPrefix("seed-") {
      let outputs = try #require(FuzzedOutput([UInt8](try Data(contentsOf: file))), "\(file)")
      #expect(throws: Never.self, "\(file)") { try ResultReaders.decoded(outputs) }
    }
  }

  @Test func `A violated property is reported`() {
    #expect(throws: PropertyViolation.self) { try verify(false, "a property") }
  }

  private func read(_ file: URL, _ reader: FuzzedReader) throws {
    let bytes = [UInt8](try Data(contentsOf: file))
    #expect(throws: Never.self, "\(reader.rawValue): \(file.lastPathComponent)") {
      try reader.read(bytes)
    }
  }
}
