import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOLiteRT
import TensorIOTensorFlow
import TensorIOTestSupport
import Testing

/// The resources and the lifetime of worker processes.
@Suite(.ownThreads) struct WorkerProcessTests {
  @Test func `A worker inherits a socket and no other descriptor`() throws {
    let files = (0..<20).map { _ in unsafe open("/etc/passwd", O_RDONLY) }
    #expect(files.allSatisfy { $0 > 2 })
    defer { files.forEach { close($0) } }
    let rig = IsolatedRig()
    let model = try rig.model("diabetes")
    let descriptors = try ProcessFacts.descriptors(rig.workers[0])
    withExtendedLifetime(model) {}
    for number in ["0", "1", "2"] { #expect(descriptors[number] == "/dev/null") }
    #expect(descriptors["3"]?.hasPrefix("socket:") == true)
    // The other descriptors are shared memory.
    let others = descriptors.filter { (Int($0.key) ?? 0) > 3 }
    #expect(others.values.allSatisfy { $0.hasPrefix("/memfd:tensorio") }, "\(others)")
    #expect(others.count <= 3)
  }

  @Test func `A worker inherits only selected environment variables`() throws {
    let rig = IsolatedRig()
    let model = try rig.model("diabetes")
    let names = try ProcessFacts.environment(rig.workers[0]).map { $0.prefix { $0 != "=" } }
    withExtendedLifetime(model) {}
    let allowed = [
      "TENSORIO_HOME", "TENSORIO_LITERT_LIBRARY", "TENSORIO_TENSORFLOW_LIBRARY",
      "TENSORIO_ONNX_LIBRARY", "TENSORIO_THREADS", "OMP_NUM_THREADS", "TENSORIO_LOG",
      "SWIFT_BACKTRACE",
    ]
    #expect(names.allSatisfy { allowed.contains(String($0)) }, "\(names)")
    #expect(names.contains("TENSORIO_HOME"))
    #expect(ProcessInfo.processInfo.environment["PATH"] != nil, "this process has more variables")
  }

  @Test func `A worker has limits on core files, open files and address space`() throws {
    let rig = IsolatedRig()
    let model = try rig.model("diabetes")
    let limits = try String(
      contentsOfFile: "/proc/\(rig.workers[0])/limits", encoding: .utf8
    ).split(separator: "\n")
    withExtendedLifetime(model) {}
    let soft = { (name: String) in
      limits.first { $0.hasPrefix(name) }?.dropFirst(name.count).split(separator: " ").first
        .map(String.init)
    }
    #expect(soft("Max core file size") == "0")
    #expect(soft("Max open files") == "256")
    let addresses = try #require(soft("Max address space"))
    #expect(Int(addresses) ?? .max < 16 << 30)
  }

  @Test func `Workers terminate with their model`() throws {
    let rig = IsolatedRig()
    do { _ = try rig.model("diabetes", sessions: 2) }
    #expect(rig.workers.allSatisfy(ProcessFacts.waitForEnd))
  }

  @Test func `Exceeding the memory limit is an error of the call`() throws {
    let rig = IsolatedRig(.liteRT, Isolation(memoryLimit: 32 << 20))
    let error = failure { _ = try rig.model("digits") }
    #expect(error != nil)
    #expect([.run, .runtime].contains(error?.stage))
  }

  @Test(arguments: ["/nowhere/tensorio-worker", "relative-nowhere"])
  func `A missing worker executable is reported with its path and a remedy`(_ path: String) {
    let rig = IsolatedRig(.liteRT, Isolation(workerPath: path))
    let error = failure { _ = try rig.model("digits") }
    #expect(error?.stage == .runtime)
    #expect(error?.code == "worker-missing")
    #expect(error?.message.contains("'\(path)'") == true)
    #expect(error?.message.contains("TENSORIO_WORKER") == true)
  }

  @Test func `A worker executable that is not executable is not reported as missing`() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("no program", to: "tensorio-worker")
    let rig = IsolatedRig(.liteRT, Isolation(workerPath: path))
    let error = failure { _ = try rig.model("digits") }
    #expect(error?.stage == .runtime)
    #expect(error?.code == "worker-not-launched")
    #expect(error?.message.contains("'\(path)' cannot be launched: it is not an exec") == true)
  }

  @Test func `A program that is not a worker is an error of the call`() {
    let rig = IsolatedRig(.liteRT, Isolation(workerPath: "/bin/true"))
    #expect(failure { _ = try rig.model("digits") }?.code == "worker-crashed")
  }

  @Test func `A worker that is started from a shell exits immediately`() throws {
    let process = Process()
    process.executableURL = URL(filePath: CommandLine.arguments[0])
      .deletingLastPathComponent().appending(path: "tensorio-worker")
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    #expect(process.terminationStatus == 2)
  }

  @Test func `Training in a worker is not supported`() throws {
    let bundle = try ModelBundle(
      at: ProjectFiles.path("Examples/Bundles/digits-trainable.tiobundle"))
    let error = failure {
      _ = try bundle.load(for: .train, on: IsolatedBackend(.tensorFlow))
    }
    #expect(error?.code == "unsupported")
  }

  @Test(
    arguments: [
      (nil, nil, "/p/bin/tensorio", "/p/bin/tensorio-worker"),
      (nil, "/v", "/p/bin/tensorio", "/v"), ("/o", "/v", "/p/bin/tensorio", "/o"),
    ] as [(String?, String?, String, String)])
  func `An explicit path replaces the search`(
    option: String?, variable: String?, executable: String, first: String
  ) {
    let locator = WorkerExecutableLocator(
      option: option, variable: variable, executable: executable)
    #expect(locator.candidates.first == first)
    #expect(locator.candidates.count == (option ?? variable == nil ? 3 : 1))
  }

  @Test func `An installed worker is found relative to the installed command`() throws {
    let folder = try TemporaryFolder()
    for name in ["bin/tensorio", "libexec/tensorio/tensorio-worker"] {
      let path = URL(filePath: "\(folder.path)/\(name)")
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data().write(to: path)
    }
    let locator = WorkerExecutableLocator(
      option: nil, variable: nil, executable: "\(folder.path)/bin/tensorio")
    #expect(try locator.find().hasSuffix("/libexec/tensorio/tensorio-worker"))
  }
}
