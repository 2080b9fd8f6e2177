import Foundation
import TensorIOTestSupport
import Testing

/// What fuzzing has found worth keeping, read again; `Scripts/fuzz` finds more.
///
/// One after the other: some readers read files, which lie in one folder.
@Suite(.serialized) struct FuzzedReaderTests {
  private static let folder = "Tests/Fixtures/Fuzz"
  /// What once did harm to some reader.
  private static let found = FuzzedReader.allCases.flatMap { reader in
    kept(by: reader).filter { $0.lastPathComponent.hasPrefix("found-") }
  }

  private static func kept(by reader: FuzzedReader) -> [URL] {
    ProjectFiles.entries(of: "\(folder)/\(reader.rawValue)").map { URL(filePath: $0) }
  }

  @Test(arguments: FuzzedReader.allCases)
  func `a reader bears all that its fuzzing has kept`(reader: FuzzedReader) throws {
    let files = Self.kept(by: reader)
    #expect(!files.isEmpty)
    for file in files { try read(file, reader) }
  }

  @Test(arguments: found)
  func `what did harm to one reader does none to any`(file: URL) throws {
    for reader in FuzzedReader.allCases { try read(file, reader) }
  }

  @Test func `every folder belongs to a reader`() {
    let folders = ProjectFiles.entries(of: Self.folder).map { URL(filePath: $0).lastPathComponent }
    #expect(folders == FuzzedReader.allCases.map(\.rawValue).sorted())
  }

  @Test func `a promise that is not kept is told of`() {
    #expect(throws: BrokenPromise.self) { try promise(false, "kept") }
  }

  private func read(_ file: URL, _ reader: FuzzedReader) throws {
    let bytes = [UInt8](try Data(contentsOf: file))
    #expect(throws: Never.self, "\(reader.rawValue): \(file.lastPathComponent)") {
      try reader.read(bytes)
    }
  }
}
