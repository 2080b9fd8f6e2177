import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import Testing

@Suite struct RuntimeSearchTests {
  func places(_ environment: [String: String], option: String? = nil) -> [String] {
    RuntimeLibrarySearch(for: .liteRT, explicitPath: option, environment: environment)
      .candidates().map(\.path)
  }

  @Test func `installed libraries come before the system's`() {
    let folder = "runtimes/litert/2.3.0/\(CPUArchitecture.current.rawValue)/lib/libLiteRt.so"
    #expect(places(["HOME": "/h"]) == ["/h/.local/share/tensorio/\(folder)", "libLiteRt.so"])
    #expect(
      places(["HOME": "/h", "XDG_DATA_HOME": "/x"]) == ["/x/tensorio/\(folder)", "libLiteRt.so"])
    #expect(
      places(["HOME": "/h", "XDG_DATA_HOME": "/x", "TENSORIO_HOME": "/t"])
        == ["/t/\(folder)", "libLiteRt.so"])
    #expect(places([:]) == ["libLiteRt.so"])
    #expect(places(["HOME": "", "XDG_DATA_HOME": "relative"]) == ["libLiteRt.so"])
  }

  @Test func `a variable is the only place, and an option beats it`() {
    let environment = ["TENSORIO_LITERT_LIBRARY": "/v/lib.so", "HOME": "/h"]
    #expect(places(environment) == ["/v/lib.so"])
    #expect(places(environment, option: "/o/lib.so") == ["/o/lib.so"])
    #expect(places(["TENSORIO_LITERT_LIBRARY": ""]) == ["libLiteRt.so"])
  }

  func problem(
    library: String? = nil, _ environment: [String: String]
  ) throws -> ModelError.MissingRuntime {
    let backend = LiteRTBackend(library: library, environment: environment)
    let error = try #require(throws: ModelError.self) { try backend.locateLibrary() }
    #expect(error.stage == .runtime)
    guard case .runtimeMissing(let problem) = error.reason else {
      throw error
    }
    #expect(problem.backend == .tflite)
    return problem
  }

  @Test func `a missing library is told with every place and the command that installs it`() throws
  {
    let search = RuntimeLibrarySearch(for: .liteRT, environment: ["HOME": "/nowhere"])
    let error = try #require(throws: ModelError.self) {
      try search.open { path in RuntimeLibraryOpenResult<Int>.failed("\(path): says the loader") }
    }
    guard case .runtimeMissing(let problem) = error.reason else { throw error }
    #expect(problem.searchResults.count == 2)
    #expect(problem.searchResults[0].hasPrefix("installed: /nowhere/.local/share/tensorio/runtimes/"))
    #expect(problem.searchResults[0].hasSuffix(": not there"))
    #expect(problem.searchResults[1] == "system: libLiteRt.so: says the loader")
    #expect(problem.installCommand == "tensorio runtime install litert")
  }

  @Test func `an installed library that does not open is passed over, and the next one taken`()
    throws
  {
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

  @Test func `a variable that names nothing is an error even where another library works`() throws {
    let problem = try problem(["TENSORIO_LITERT_LIBRARY": "/nowhere/libLiteRt.so"])
    #expect(problem.searchResults == ["TENSORIO_LITERT_LIBRARY=/nowhere/libLiteRt.so: not there"])
    #expect(problem.installCommand == "unset TENSORIO_LITERT_LIBRARY && tensorio runtime install litert")
  }

  @Test func `another library is told apart by the function that it lacks`() throws {
    let problem = try problem(library: "libm.so.6", [:])
    #expect(problem.searchResults.count == 1)
    #expect(problem.searchResults[0].hasPrefix("libm.so.6: lacks the function LiteRtCreateEnvironment"))
  }

  @Test func `a file that is no library is told in the loader's words`() throws {
    let path = TinyModel(name: "scalar").path
    let problem = try problem(library: path, [:])
    #expect(problem.searchResults.count == 1)
    #expect(problem.searchResults[0].hasPrefix("\(path): "))
    #expect(problem.searchResults[0] != "\(path): not there")
  }

  @Test func `a model says the same of a missing library`() throws {
    let backend = LiteRTBackend(library: "/nowhere/lib.so")
    let error = try #require(throws: ModelError.self) {
      try backend.model(at: TinyModel(name: "scalar").file)
    }
    guard case .runtimeMissing = error.reason else {
      throw error
    }
  }

  @Test func `the library of these tests is found`() throws {
    let candidate = try LiteRTBackend().locateLibrary()
    print("LiteRT \(candidate.installedVersion(of: .liteRT) ?? "of an unknown version"): \(candidate.path)")
  }

  @Test func `a version is read from the folder or from the package's papers`() throws {
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

  @Test func `there is a pinned package for each supported machine`() throws {
    for architecture in [CPUArchitecture.x86_64, .aarch64] {
      let wheel = try #require(RuntimeLibrarySpecification.liteRT.wheel(for: architecture))
      #expect(wheel.platform.hasSuffix(architecture.rawValue))
      #expect(wheel.sha256.count == 64)
      #expect(wheel.version == RuntimeLibrarySpecification.liteRT.version)
    }
    #expect(RuntimeLibrarySpecification.liteRT.wheel(for: .other) == nil)
  }
}
