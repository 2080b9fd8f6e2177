import Foundation
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle

@Suite struct VersionHistoryTests {
  private let folder: TemporaryFolder
  private let history: VersionHistory

  init() throws {
    folder = try TemporaryFolder()
    history = VersionHistory(at: folder.path + "/deep/history.json")
  }

  private func manifest(_ version: String, id: String = "birds") throws -> BundleManifest {
    let text = "{\"id\": \"\(id)\", \"version\": \"\(version)\"}"
    return try BundleManifest([(name: "model.json", path: folder.write(text, to: "model.json"))])
  }

  private func isRejected(_ version: String, id: String = "birds", by key: String = "k") throws
    -> Bool
  {
    let manifest = try manifest(version, id: id)
    do throws(ModelError) {
      try history.throwIfDowngrade(manifest, signer: key)
      return false
    } catch {
      #expect(error.code == "bundle-downgrade")
      return true
    }
  }

  @Test(arguments: [
    ("1.9", "1.10", true), ("1.10", "1.9", false), ("1", "1.0.0", false), ("1.0", "1", false),
    ("2", "1.99", false), ("0.9", "1", true), ("007", "7", false), ("", "", false),
    ("2-beta", "2-beta", false), ("2-beta", "2", true), ("2", "2-beta", true), ("v1", "v2", true),
    ("1..2", "1.2", true), ("1.2", "1.2.", true), ("18446744073709551616", "1", true),
  ])
  func `An older version is rejected`(
    _ version: String, _ recorded: String, _ isOlder: Bool
  ) throws {
    try history.record(manifest(recorded), signer: "k")
    #expect(try isRejected(version) == isOlder)
    #expect(try !isRejected(version, id: "other") && !isRejected(version, by: "another"))
  }

  @Test func `The highest version is kept`() throws {
    for version in ["1.2", "1.10", "1.9", "0"] {
      try history.record(manifest(version), signer: "k")
    }
    #expect(try isRejected("1.9") && !isRejected("1.10") && !isRejected("2"))
    #expect(FileManager.default.fileExists(atPath: history.path))
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path + "/deep") == ["history.json"]
    )
  }

  @Test func `The text of a version history is stable`() throws {
    try history.record(manifest("2", id: "fish"), signer: "a")
    try history.record(manifest("1", id: "birds"), signer: "b")
    #expect(
      try String(contentsOfFile: history.path, encoding: .utf8) == """
        {
          "versions": [
            {
              "id": "fish",
              "key": "a",
              "version": "2"
            },
            {
              "id": "birds",
              "key": "b",
              "version": "1"
            }
          ]
        }

        """)
  }

  @Test func `Concurrent updates are not lost`() async throws {
    let manifests = try (0..<16).map { try manifest("\($0 + 1)", id: "\($0 % 4)") }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for manifest in manifests {
        group.addTask { try history.record(manifest, signer: "k") }
      }
      try await group.waitForAll()
    }
    for id in 0..<4 {
      #expect(try isRejected("\(12 + id)", id: "\(id)") && !isRejected("\(13 + id)", id: "\(id)"))
    }
  }

  @Test(arguments: ["", "{}", "{\"versions\": [{}]}", "{\"versions\": {\"id\": 1}}", "nothing"])
  func `An unreadable version history rejects all versions`(_ text: String) throws {
    try folder.write(text, to: "deep/history.json")
    let error = #expect(throws: ModelError.self) {
      try history.throwIfDowngrade(manifest("1"), signer: "k")
    }
    #expect(error?.code == "unreadable-file")
    #expect(throws: ModelError.self) { try history.record(manifest("1"), signer: "k") }
    #expect(try String(contentsOfFile: history.path, encoding: .utf8) == text)
  }

  @Test func `A read-only folder opens newer versions and rejects older ones`() throws {
    try history.record(manifest("2"), signer: "k")
    let readOnly = VersionHistory(at: history.path) { _ in true }
    try readOnly.throwIfDowngrade(manifest("3"), signer: "k")
    try readOnly.record(manifest("3"), signer: "k")
    try readOnly.throwIfDowngrade(manifest("2"), signer: "k")
    #expect(throws: ModelError.self) {
      try readOnly.throwIfDowngrade(manifest("1"), signer: "k")
    }
  }

  @Test(.enabled(if: geteuid() != 0, "permissions do not apply to root"))
  func `A version is not recorded in a folder without write permission`() throws {
    let path = folder.path + "/locked"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    let setPermissions = { (bits: Int) in
      try FileManager.default.setAttributes([.posixPermissions: bits], ofItemAtPath: path)
    }
    try setPermissions(0o555)
    defer { try? setPermissions(0o755) }
    try VersionHistory(at: path + "/deep/history.json").record(manifest("1"), signer: "k")
    #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
  }
}
