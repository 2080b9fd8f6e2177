import Foundation
import TensorIOServer
@testable import TensorIOStudio

/// A studio on a port of its own, for a browser.
final class PageServer: Sendable {
  let address: String
  private let bench: StudioBench
  private let server: HTTPServer

  init(_ bundles: [String], data: [String] = []) throws {
    bench = try StudioBench(bundles.map(StudioBench.bundle), data: data)
    let (figures, status) = (ServerMetrics(), ServerStatus())
    let serving = PredictionRoutes(
      bench.catalogue, figures, version: "0", status: status, isolation: nil)
    let server = try HTTPServer(
      HTTPServer.Configuration(port: 0, workerThreads: 2, maxQueuedRequests: 64),
      router: Router(StudioRoutes(bench.studio).routes + serving.routes), observer: figures,
      status: status)
    self.server = server
    address = "http://127.0.0.1:\(server.port)"
    Thread.detachNewThread { server.run() }
  }

  /// Ends before its browser does, to see what the page says then.
  func stop() { server.stopNow() }

  deinit {
    server.stopNow()
    bench.studio.close()
  }
}
