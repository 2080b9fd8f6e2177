import Foundation
import TensorIOTestSupport
import Testing
@testable import TensorIOBundle

@Suite struct SeenVersionsTests {
  private let folder: TemporaryFolder
  private let seen: VersionHistory

  init() throws {
    folder = try TemporaryFolder()
    seen = VersionHistory(at: folder.path + "/deep/seen.json")
  }

  private func manifest(_ version: String, id: String = "birds") throws -> BundleManifest {
    let text = "{\"id\": \"\(id)\", \"version\": \"\(version)\"}"
    return try BundleManifest([(name: "model.json", path: folder.write(text, to: "model.json"))])
  }

  private func isRefused(_ version: String, id: String = "birds", by key: String = "k") throws
    -> Bool
  {
    let manifest = try manifest(version, id: id)
    do throws(ModelError) {
      try seen.throwIfDowngrade(manifest, signer: key)
      return false
    } catch {
      #expect(error.code == "older-bundle")
      return true
    }
  }

  @Test(arguments: [
    ("1.9", "1.10", true), ("1.10", "1.9", false), ("1", "1.0.0", false), ("1.0", "1", false),
    ("2", "1.99", false), ("0.9", "1", true), ("007", "7", false), ("", "", false),
    ("2-beta", "2-beta", false), ("2-beta", "2", true), ("2", "2-beta", true), ("v1", "v2", true),
    ("1..2", "1.2", true), ("1.2", "1.2.", true), ("18446744073709551616", "1", true),
  ])
  func `a version is older than another`(
    _ version: String, _ remembered: String, _ isOlder: Bool
  ) throws {
    try seen.record(manifest(remembered), signer: "k")
    #expect(try isRefused(version) == isOlder)
    #expect(try !isRefused(version, id: "other") && !isRefused(version, by: "another"))
  }

  @Test func `the highest version stays, whatever comes after it`() throws {
    for version in ["1.2", "1.10", "1.9", "0"] {
      try seen.record(manifest(version), signer: "k")
    }
    #expect(try isRefused("1.9") && !isRefused("1.10") && !isRefused("2"))
    #expect(FileManager.default.fileExists(atPath: seen.path))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path + "/deep") == ["seen.json"])
  }

  @Test func `many who remember at once lose nothing`() async throws {
    let manifests = try (0..<16).map { try manifest("\($0 + 1)", id: "\($0 % 4)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for manifest in manifests {
        group.addTask { try seen.record(manifest, signer: "k") }
      }
      try await group.waitForAll()
    }
    for id in 0..<4 {
      #expect(try isRefused("\(12 + id)", id: "\(id)") && !isRefused("\(13 + id)", id: "\(id)"))
    }
  }

  @Test(arguments: ["", "{}", "{\"versions\": [{}]}", "{\"versions\": {\"id\": 1}}", "nothing"])
  func `a record that cannot be read refuses all`(_ text: String) throws {
    try folder.write(text, to: "deep/seen.json")
    let error = #expect(throws: ModelError.self) { try seen.throwIfDowngrade(manifest("1"), signer: "k") }
    #expect(error?.code == "unreadable-file")
    #expect(throws: ModelError.self) { try seen.record(manifest("1"), signer: "k") }
    #expect(try String(contentsOfFile: seen.path, encoding: .utf8) == text)
  }
}
