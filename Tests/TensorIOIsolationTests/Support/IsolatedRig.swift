import Foundation
import Synchronization
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOTestSupport
import Testing

/// A backend whose workers are known.
struct IsolatedRig: Sendable {
  let backend: IsolatedBackend
  private let started: Started

  private final class Started: Sendable {
    let workers = Mutex<[Int32]>([])
  }

  init(_ identifier: BackendIdentifier = .tflite, _ isolation: Isolation = Isolation()) {
    let started = Started()
    var backend = IsolatedBackend(identifier, isolation: isolation)
    backend.onWorkerLaunch = { id in started.workers.withLock { $0.append(id) } }
    (self.backend, self.started) = (backend, started)
  }

  /// The processes of all workers, in the order in which they were started.
  var workers: [Int32] { started.workers.withLock { $0 } }

  /// A model of an example bundle, isolated.
  func model(_ name: String, sessions: Int = 1) throws -> Model {
    let bundle = try ModelBundle(at: ProjectFiles.path("Examples/Bundles/\(name).tiobundle"))
    return try Model(bundle, on: backend, options: .init(threads: 1, sessions: sessions))
  }
}

/// What the system tells of a process.
enum ProcessFacts {
  static func isAlive(_ id: Int32) -> Bool { kill(id, 0) == 0 }

  /// Waits until a process is gone.
  static func waitForEnd(_ id: Int32) -> Bool {
    for _ in 0..<1000 where isAlive(id) { usleep(5000) }
    return !isAlive(id)
  }

  /// What its open descriptors lead to, by their numbers.
  static func descriptors(_ id: Int32) throws -> [String: String] {
    let folder = "/proc/\(id)/fd"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))
      })
  }

  /// The variables that it was started with.
  static func environment(_ id: Int32) throws -> [String] {
    let bytes = try #require(FileManager.default.contents(atPath: "/proc/\(id)/environ"))
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// The error of something that should fail.
func failure(_ body: () throws -> Void) -> ModelError? {
  do {
    try body()
    return nil
  } catch {
    return error as? ModelError
  }
}
