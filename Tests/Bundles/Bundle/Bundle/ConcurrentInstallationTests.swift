import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOSystem
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// Concurrent installations of bundles at the same path, while other threads open them.
///
/// `TENSORIO_ROUNDS` sets the number of rounds; `Scripts/check/deep crowds` runs 1,000.
@Suite(.ownThreads) struct ConcurrentInstallationTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["TENSORIO_ROUNDS"].flatMap { Int($0) } ?? 12
  private static let installers = 16
  private static let readers = 4

  private let folder: TemporaryFolder
  private var path: String { "\(folder.path)/concurrent.tiobundle" }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(.hangGuard(isLong: rounds > 12))
  func `Opening a bundle while it is replaced never mixes files of two bundles`() async throws {
    try install(0, overwriting: true).get()
    let isFinished = Counter()
    let seen = await withTaskGroup(of: [String].self) { group in
      for _ in 0..<Self.readers {
        group.addTask { await onNewThread { self.openRepeatedly(until: isFinished) } }
      }
      for round in 0..<Self.rounds { _ = await self.installAll(round, overwriting: true) }
      isFinished.increment()
      return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
    }
    #expect(seen.subtracting((0..<Self.installers).map(String.init)) == [])
    #expect(seen.count > 1 && folder.entries == ["concurrent.tiobundle"])
    print("crowded bundles: \(Self.rounds) rounds")
  }

  @Test func `Exactly one of several concurrent installations succeeds`() async throws {
    for round in 0..<Self.rounds {
      let results = await installAll(round, overwriting: false)
      #expect(results.count { $0 == nil } == 1)
      #expect(results.allSatisfy { $0 == nil || $0 == .alreadyExists }, "\(results)")
      #expect(folder.entries == ["concurrent.tiobundle"])
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// Starts all installations at the same time, and returns the error of each.
  private func installAll(_ round: Int, overwriting: Bool) async -> [InstallError?] {
    let gate = TestGate()
    return await withTaskGroup(of: InstallError?.self) { group in
      for number in 0..<Self.installers {
        group.addTask {
          await onNewThread {
            gate.wait()
            if case .failure(let error) = self.install(number, overwriting: overwriting) {
              return error
            }
            return nil
          }
        }
      }
      try? await waitUntil { gate.waiterCount == Self.installers }
      gate.open()
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  // MARK: Installing

  private enum InstallError: Error { case alreadyExists, other }

  /// Installs a bundle whose files contain its number.
  private func install(_ number: Int, overwriting: Bool) -> Result<Void, InstallError> {
    Result { () throws(InstallError) in
      try Staging.directory(
        at: path, overwriting: overwriting,
        mapError: { if case .alreadyExists = $0 { .alreadyExists } else { .other } },
        { (staging) throws(InstallError) in
          do {
            try FileSystem.createDirectory(staging + "/assets")
            try AtomicFile.write(description(number), to: staging + "/model.json")
            try AtomicFile.write([], to: staging + "/model.tflite")
            try AtomicFile.write(Array("\(number)\n".utf8), to: staging + "/assets/labels.txt")
          } catch {
            throw .other
          }
        })
    }
  }

  private func description(_ number: Int) -> [UInt8] {
    Array(
      """
      {"name": "\(number)", "details": "", "id": "concurrent", "version": "1", "author": "",
       "license": "", "model": {"file": "model.tflite", "quantized": false, "backend": "tflite",
       "modes": ["predict"]}, "inputs": [{"name": "x", "type": "array", "shape": [1]}],
       "outputs": [{"name": "y", "type": "array", "shape": [1], "labels": "labels.txt"}]}
      """.utf8)
  }

  // MARK: Reading

  /// Opens the bundle repeatedly, and returns the numbers found or the errors.
  private func openRepeatedly(until isFinished: Counter) -> [String] {
    var seen: Set<String> = []
    while isFinished.value == 0 { seen.insert(openBundle()) }
    return Array(seen)
  }

  private func openBundle() -> String {
    let one = TensorInfo(name: "x", elementType: .float32, shape: [1])
    do throws(ModelError) {
      let (name, model) = try ModelBundle.withConsistentFiles(at: path) { () throws(ModelError) in
        let bundle = try ModelBundle(at: path)
        return (bundle.name, try Model(bundle, on: FakeBackend(.identity(one))))
      }
      let output = try model.run([Float(1)])
      guard case .classification(let labels)? = output.layers.first?.value else { return "nothing" }
      let label = labels.top(1).first?.label ?? "none"
      return label == name ? name : "\(name) with the labels of \(label)"
    } catch {
      return "\(error)"
    }
  }
}
