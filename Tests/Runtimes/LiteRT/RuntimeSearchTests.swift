import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import Testing

@Suite struct RuntimeSearchTests {
  func candidatePaths(_ environment: [String: String], option: String? = nil) -> [String] {
    RuntimeLibrarySearch(for: .liteRT, explicitPath: option, environment: environment)
      .candidates().map(\.path)
  }

  @Test func `Installed libraries come before the system's`() {
    let folder = "runtimes/litert/2.3.0/\(CPUArchitecture.current.rawValue)/lib/libLiteRt.so"
    #expect(
      candidatePaths(["HOME": "/h"]) == ["/h/.local/share/tensorio/\(folder)", "libLiteRt.so"])
    #expect(
      candidatePaths(["HOME": "/h", "XDG_DATA_HOME": "/x"]) == [
        "/x/tensorio/\(folder)", "libLiteRt.so",
      ])
    #expect(
      candidatePaths(["HOME": "/h", "XDG_DATA_HOME": "/x", "TENSORIO_HOME": "/t"])
        == ["/t/\(folder)", "libLiteRt.so"])
    #expect(candidatePaths([:]) == ["libLiteRt.so"])
    #expect(candidatePaths(["HOME": "", "XDG_DATA_HOME": "relative"]) == ["libLiteRt.so"])
  }

  @Test
  func
    `An environment variable replaces the search, and an explicit path takes precedence over it`()
  {
    let environment = ["TENSORIO_LITERT_LIBRARY": "/v/lib.so", "HOME": "/h"]
    #expect(candidatePaths(environment) == ["/v/lib.so"])
    #expect(candidatePaths(environment, option: "/o/lib.so") == ["/o/lib.so"])
    #expect(candidatePaths(["TENSORIO_LITERT_LIBRARY": ""]) == ["libLiteRt.so"])
  }

  func missingRuntime(
    library: String? = nil, _ environment: [String: String]
  ) throws -> ModelError.MissingRuntime {
    let backend = LiteRTBackend(library: library, environment: environment)
    let error = try #require(throws: ModelError.self) { try backend.locateLibrary() }
    #expect(error.stage == .runtime)
    guard let missing = error.missingRuntime else {
      throw error
    }
    #expect(missing.backend == .tflite)
    return missing
  }

  @Test func `The error for a missing library lists each candidate and the remedy`() throws {
    let search = RuntimeLibrarySearch(for: .liteRT, environment: ["HOME": "/nowhere"])
    let error = try #require(throws: ModelError.self) {
      try search.open { path in RuntimeLibraryOpenResult<Int>.failed("\(path): loader error") }
    }
    guard let missing = error.missingRuntime else { throw error }
    #expect(missing.searchResults.count == 2)
    #expect(
      missing.searchResults[0].hasPrefix("installed: /nowhere/.local/share/tensorio/runtimes/"))
    #expect(missing.searchResults[0].hasSuffix(": no such file"))
    #expect(missing.searchResults[1] == "system: libLiteRt.so: loader error")
    #expect(
      missing.recoverySuggestion
        == "install LiteRT \(RuntimeLibrarySpecification.liteRT.version), "
        + "or set TENSORIO_LITERT_LIBRARY to its path")
  }

  @Test func `An installed library that does not open is skipped`() throws {
    let root = NSTemporaryDirectory() + "tensorio-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: root) }
    let folder = "\(root)/\(RuntimeLibrarySpecification.liteRT.installPath)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    #expect(FileManager.default.createFile(atPath: "\(folder)/libLiteRt.so", contents: Data()))
    let search = RuntimeLibrarySearch(for: .liteRT, environment: ["TENSORIO_HOME": root])
    let found = try search.open { path in
      path == "libLiteRt.so" ? RuntimeLibraryOpenResult.opened(7) : .failed("it is empty")
    }
    #expect(found.library == 7)
    #expect(found.candidate.origin == .systemLoader)
  }

  @Test func `A variable with an invalid path is an error even if another library works`() throws {
    let missing = try missingRuntime(["TENSORIO_LITERT_LIBRARY": "/nowhere/libLiteRt.so"])
    #expect(
      missing.searchResults == ["TENSORIO_LITERT_LIBRARY=/nowhere/libLiteRt.so: no such file"])
    #expect(missing.recoverySuggestion == "correct or unset TENSORIO_LITERT_LIBRARY")
  }

  @Test func `An unrelated library is rejected with the name of the missing function`() throws {
    let missing = try missingRuntime(library: "libm.so.6", [:])
    #expect(missing.searchResults.count == 1)
    #expect(
      missing.searchResults[0].hasPrefix("libm.so.6: lacks the function LiteRtCreateEnvironment"))
  }

  @Test func `A file that is not a library is rejected with the loader's message`() throws {
    let path = TinyModel(name: "scalar").path
    let missing = try missingRuntime(library: path, [:])
    #expect(missing.searchResults.count == 1)
    #expect(missing.searchResults[0].hasPrefix("\(path): "))
    #expect(missing.searchResults[0] != "\(path): no such file")
  }

  @Test func `Loading a model reports a missing library`() throws {
    let backend = LiteRTBackend(library: "/nowhere/lib.so")
    let error = try #require(throws: ModelError.self) {
      try backend.model(at: TinyModel(name: "scalar").file)
    }
    guard case ModelError.runtimeMissing = error else {
      throw error
    }
  }

  @Test func `The library used by these tests is found`() throws {
    let candidate = try LiteRTBackend().locateLibrary()
    print(
      "LiteRT \(candidate.installedVersion(of: .liteRT) ?? "of an unknown version"): \(candidate.path)"
    )
  }

  @Test func `The version is read from the folder name or the package metadata`() throws {
    let root = NSTemporaryDirectory() + "tensorio-\(UUID())"
    defer { try? FileManager.default.removeItem(atPath: root) }
    for folder in ["ai_edge_litert", "ai_edge_litert-9.8.7.dist-info"] {
      try FileManager.default.createDirectory(
        atPath: "\(root)/\(folder)", withIntermediateDirectories: true)
    }
    func version(_ origin: RuntimeLibraryCandidate.Origin, _ path: String) -> String? {
      RuntimeLibraryCandidate(origin: origin, path: path).installedVersion(of: .liteRT)
    }
    #expect(version(.explicit, "\(root)/ai_edge_litert/libLiteRt.so") == "9.8.7")
    #expect(version(.explicit, "/libLiteRt.so") == nil)
    #expect(version(.systemLoader, "libLiteRt.so") == nil)
    #expect(version(.dataDirectory, "/h/runtimes/litert/2.3.0/x86_64/lib/libLiteRt.so") == "2.3.0")
  }

  @Test func `There is a pinned wheel for each supported architecture`() throws {
    for architecture in [CPUArchitecture.x86_64, .aarch64] {
      let wheel = try #require(RuntimeLibrarySpecification.liteRT.wheel(for: architecture))
      #expect(wheel.platform.hasSuffix(architecture.rawValue))
      #expect(wheel.sha256.count == 64)
      #expect(wheel.version == RuntimeLibrarySpecification.liteRT.version)
    }
    #expect(RuntimeLibrarySpecification.liteRT.wheel(for: .other) == nil)
  }
}
