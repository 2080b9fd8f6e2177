import Foundation
import TensorIOServer

@testable import TensorIOStudio

/// A studio on a free port.
final class PageServer: Sendable {
  let address: String
  private let harness: StudioHarness
  private let server: HTTPServer

  /// Starts a server with the project's bundles of the given names, or bundles at absolute paths.
  init(
    _ bundles: [String], data: [String] = [], arguments: [String] = [],
    allowsPrivateDownloads: Bool = false
  ) throws {
    let paths = bundles.map { $0.hasPrefix("/") ? $0 : StudioHarness.bundle($0) }
    harness = try StudioHarness(
      paths, data: data, arguments: arguments, allowsPrivateDownloads: allowsPrivateDownloads)
    let (metrics, status) = (ServerMetrics(), ServerStatus())
    let predictionRoutes = PredictionRoutes(
      harness.catalog, metrics, version: "0", status: status, isolation: nil)
    let server = try HTTPServer(
      HTTPServer.Configuration(port: 0, workerThreads: 2, maxQueuedRequests: 64),
      router: Router(StudioRoutes(harness.studio).routes + predictionRoutes.routes),
      observer: metrics,
      status: status)
    self.server = server
    address = "http://127.0.0.1:\(server.port)"
    Thread.detachNewThread { server.run() }
  }

  /// The videos of pages.
  var videos: StudioVideos { harness.studio.videos }

  /// The transcripts of pages.
  var transcripts: StudioTranscripts { harness.studio.transcripts }

  /// Stops the server while the page is open.
  func stop() { server.stopNow() }

  deinit {
    server.stopNow()
    harness.studio.close()
  }
}
