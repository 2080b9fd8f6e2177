import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import TensorIORuntimes
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand

@Suite struct RuntimeCommandTests {
  @Test func `An unknown runtime is reported with the known ones and the closest name`() {
    let names = BuiltInRuntimes.all.flatMap(\.libraries).map(\.name).joined(separator: " or ")
    let error = OperationError.usage(
      "unknown runtime 'litret': expected \(names); did you mean 'litert'?")
    #expect(throws: error) { try RuntimeCommand.runtime("litret") }
  }

  @Test func `A failed download says where to copy the library, and it is found there`() throws {
    let folder = try TemporaryFolder()
    let python = try folder.write("#!/bin/sh\necho 'no network' >&2\nexit 1\n", to: "python3")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: python)
    let library = try #require(try Executable().run(["runtime", "where", "litert"]).lines.first)
    let offline = Executable(environment: [
      "TENSORIO_HOME": "\(folder.path)/data", "PATH": "\(folder.path):/usr/bin:/bin",
    ])
    let outcome = try offline.run(["runtime", "install", "litert"])
    #expect(outcome.exitCode == 5 && outcome.messages.contains("no network"))
    let target = "\(folder.path)/data/\(RuntimeLibrarySpecification.liteRT.installPath)"
    #expect(outcome.messages.contains("copy libLiteRt.so into \(target) from a machine"))
    #expect(outcome.messages.contains("or set TENSORIO_LITERT_LIBRARY to the path of a copy"))
    #expect(!FileManager.default.fileExists(atPath: target))

    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: "\(target)/libLiteRt.so", withDestinationPath: library)
    #expect(
      try offline.run(["runtime", "where", "litert"]).lines == ["\(target)/libLiteRt.so"])
  }
}
