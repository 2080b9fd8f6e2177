import Foundation
import Synchronization
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOIsolation
import TensorIOLiteRT
import TensorIOTasks
import TensorIOTestSupport
import Testing

/// An isolated backend that records the process IDs of its workers.
struct IsolatedRig: Sendable {
  let backend: IsolatedBackend
  private let launches: Launches

  private final class Launches: Sendable {
    let processIDs = Mutex<[Int32]>([])
  }

  init(
    _ runtime: RuntimeDescriptor = .liteRT, settings: RuntimeSettings = RuntimeSettings(),
    _ isolation: Isolation = Isolation()
  ) {
    let launches = Launches()
    var backend = IsolatedBackend(runtime, settings: settings, isolation: isolation)
    backend.onWorkerLaunch = { id in launches.processIDs.withLock { $0.append(id) } }
    (self.backend, self.launches) = (backend, launches)
  }

  /// The process IDs of all workers, in the order of their launch.
  var workers: [Int32] { launches.processIDs.withLock { $0 } }

  /// Opens an example bundle with isolation.
  func model(_ name: String, sessions: Int = 1) throws -> Model {
    let bundle = try ModelBundle(at: ProjectFiles.path("Examples/Bundles/\(name).tiobundle"))
    return try Model(bundle, on: backend, options: .init(threads: 1, sessions: sessions))
  }
}

/// Information of the system about a process.
enum ProcessFacts {
  static func isAlive(_ id: Int32) -> Bool { kill(id, 0) == 0 }

  /// Waits until a process has terminated.
  static func waitForEnd(_ id: Int32) -> Bool {
    for _ in 0..<HangGuard.stepSeconds * 200 where isAlive(id) { usleep(5000) }
    return !isAlive(id)
  }

  /// Returns the targets of a process's open descriptors.
  static func descriptors(_ id: Int32) throws -> [String: String] {
    let folder = "/proc/\(id)/fd"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    return try Dictionary(
      uniqueKeysWithValues: names.map {
        ($0, try FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)"))
      })
  }

  /// Returns the initial environment of a process.
  static func environment(_ id: Int32) throws -> [String] {
    let bytes = try #require(FileManager.default.contents(atPath: "/proc/\(id)/environ"))
    return bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}

/// Returns the error that `body` throws, or `nil` if it succeeds.
func failure(_ body: () throws -> Void) -> ModelError? {
  do {
    try body()
    return nil
  } catch {
    return error as? ModelError
  }
}
