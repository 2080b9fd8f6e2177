import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOImage
import TensorIOIsolation
import TensorIOLiteRT
import TensorIOTestSupport
import Testing

private enum Sandbox {
  static let isolation = Isolation(level: .sandbox)
  /// Whether this kernel supports Landlock and seccomp.
  static let isAvailable =
    (try? IsolatedBackend(.liteRT, isolation: isolation).checkAvailability()) != nil
}

/// Sandboxed workers, on machines that support sandboxes.
@Suite(.enabled(if: Sandbox.isAvailable)) struct SandboxTests {

  private static func threadCount(_ worker: Int32) throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/\(worker)/task").count
  }

  private func status(_ worker: Int32) throws -> [String: String] {
    let lines = try String(contentsOfFile: "/proc/\(worker)/status", encoding: .utf8)
      .split(separator: "\n")
    let pairs = lines.map { $0.split(separator: ":", maxSplits: 1) }.filter { $0.count == 2 }
    return Dictionary(
      uniqueKeysWithValues: pairs.map {
        (String($0[0]), $0[1].trimmingCharacters(in: .whitespaces))
      })
  }

  @Test func `The system call filter applies to every thread`() throws {
    let rig = IsolatedRig(.liteRT, Sandbox.isolation)
    let model = try rig.model("digits")
    let worker = rig.workers[0]
    for thread in try FileManager.default.contentsOfDirectory(atPath: "/proc/\(worker)/task") {
      let status = try status(try #require(Int32(thread)))
      #expect(status["Seccomp"] == "2")
      #expect(status["NoNewPrivs"] == "1")
    }
    withExtendedLifetime(model) {}
  }

  @Test func `A worker without a sandbox has no system call filter`() throws {
    let rig = IsolatedRig()
    let model = try rig.model("digits")
    let own = try status(getpid())["Seccomp"]
    #expect(try status(rig.workers[0])["Seccomp"] == own)
    withExtendedLifetime(model) {}
  }

  @Test func `A multithreaded model has the same outputs in a sandbox`() throws {
    let rig = IsolatedRig(.liteRT, Sandbox.isolation)
    let bundle = try ModelBundle(at: ProjectFiles.path("Examples/Bundles/digits.tiobundle"))
    let image = try ImageBuffer(contentsOf: "\(bundle.path)/samples/0-1.png")
    let results = try [rig.backend, IsolatedBackend(.liteRT)].map { backend in
      let model = try Model(bundle, on: backend, options: .init(threads: 3))
      let scores: [Float] = try model.run(image)["classification"].value()
      if backend.isolation.level == .sandbox {
        #expect(
          try Self.threadCount(rig.workers[0]) > 2,
          "the main thread, the parent monitor and runtime threads")
      }
      return scores
    }
    #expect(results[0] == results[1])
  }
}
