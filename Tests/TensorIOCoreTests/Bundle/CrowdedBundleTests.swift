import Foundation
import TensorIOBundle
import TensorIOCore
import TensorIOSystem
import TensorIOTestSupport
import Testing

/// Bundles that many install at one place at the same time, while others open what is there.
///
/// `TENSORIO_ROUNDS` says how often; `Scripts/check-deep crowds` has it done 1,000 times.
@Suite struct CrowdedBundleTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["TENSORIO_ROUNDS"].flatMap { Int($0) } ?? 12
  private static let installers = 16
  private static let readers = 4

  private let folder: TemporaryFolder
  private var path: String { "\(folder.path)/crowded.tiobundle" }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test(.timeLimit(.minutes(60)))
  func `whoever opens a bundle that is exchanged has all of one, never some of two`() async throws {
    try install(0, overwriting: true).get()
    let isOver = Counter()
    let seen = await withTaskGroup(of: [String].self) { group in
      for _ in 0..<Self.readers {
        group.addTask { await onNewThread { self.watch(until: isOver) } }
      }
      for round in 0..<Self.rounds { _ = await self.compete(round, overwriting: true) }
      isOver.increment()
      return await group.reduce(into: Set<String>()) { $0.formUnion($1) }
    }
    #expect(seen.subtracting((0..<Self.installers).map(String.init)) == [])
    #expect(seen.count > 1 && folder.entries == ["crowded.tiobundle"])
    print("crowded bundles: \(Self.rounds) rounds")
  }

  @Test func `of those who install where nothing is, one wins`() async throws {
    for round in 0..<Self.rounds {
      let results = await compete(round, overwriting: false)
      #expect(results.count { $0 == nil } == 1)
      #expect(results.allSatisfy { $0 == nil || $0 == .alreadyThere }, "\(results)")
      #expect(folder.entries == ["crowded.tiobundle"])
      try FileManager.default.removeItem(atPath: path)
    }
  }

  /// Lets all install at once, and gives why each could not.
  private func compete(_ round: Int, overwriting: Bool) async -> [InstallFault?] {
    let gate = TestGate()
    return await withTaskGroup(of: InstallFault?.self) { group in
      for number in 0..<Self.installers {
        group.addTask {
          await onNewThread {
            gate.wait()
            if case .failure(let fault) = self.install(number, overwriting: overwriting) {
              return fault
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

  private enum InstallFault: Error { case alreadyThere, other }

  /// Puts a bundle there, of which each file says its number.
  private func install(_ number: Int, overwriting: Bool) -> Result<Void, InstallFault> {
    Result { () throws(InstallFault) in
      try Staging.directory(
        at: path, overwriting: overwriting,
        mapError: { if case .alreadyExists = $0 { .alreadyThere } else { .other } },
        { (staging) throws(InstallFault) in
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
      {"name": "\(number)", "details": "", "id": "crowded", "version": "1", "author": "",
       "license": "", "model": {"file": "model.tflite", "quantized": false, "backend": "tflite",
       "modes": ["predict"]}, "inputs": [{"name": "x", "type": "array", "shape": [1]}],
       "outputs": [{"name": "y", "type": "array", "shape": [1], "labels": "labels.txt"}]}
      """.utf8)
  }

  // MARK: Reading

  /// Opens what is there again and again; gives the numbers that it found, or what was wrong.
  private func watch(until isOver: Counter) -> [String] {
    var seen: Set<String> = []
    while isOver.value == 0 { seen.insert(look()) }
    return Array(seen)
  }

  private func look() -> String {
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
