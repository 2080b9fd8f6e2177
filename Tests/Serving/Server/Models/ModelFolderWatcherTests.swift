import Foundation
import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOTestSupport
import Testing

@testable import TensorIOServer

@Suite(.hangGuard) struct ModelFolderWatcherTests {
  /// The names of the bundles that a scan finds.
  private final class Listing: Sendable {
    let names = Mutex<[String]>([])
    let unavailable = Mutex<[String]>([])
    let settings = Mutex<String?>(nil)
    let reports = Mutex<[String]>([])
  }

  /// A folder with bundles of one file each, whose text is the version. One without text is
  /// invalid, and the version `broken` cannot be opened.
  private final class Host: Sendable {
    let folder: TemporaryFolder
    let bundle: TestBundle
    let catalog: ModelCatalog
    private let listing: Listing
    let watcher: ModelFolderWatcher
    private let start = ContinuousClock.now

    init() throws {
      let (folder, bundle) = (try TemporaryFolder(), try TestBundle())
      let model = try bundle.open(.pair)
      let catalog = ModelCatalog([]) { (entry) throws(ModelError) in
        guard entry.version != "broken" else {
          throw ModelError(.runtime, .modelRejected(detail: "damaged"))
        }
        return model
      }
      (self.folder, self.bundle, self.catalog) = (folder, bundle, catalog)
      let listing = Listing()
      self.listing = listing
      watcher = ModelFolderWatcher(
        catalog,
        ModelFolderWatcher.Source(
          list: {
            let settings = listing.settings.withLock(\.self)
            return .init(
              listing.names.withLock(\.self).map {
                ModelLocation($0, path: "\(folder.path)/\($0)", settingsPath: settings)
              }, unavailable: listing.unavailable.withLock(\.self))
          },
          read: { location in
            let text = (try? String(contentsOfFile: location.path, encoding: .utf8)) ?? ""
            return .init(
              name: location.name, version: text, path: location.path,
              bundle: text.isEmpty ? .failure(ModelError(.bundle, .missingBundle)) : nil)
          }), entries: [], interval: .seconds(1),
        onUnavailable: { path in listing.reports.withLock { $0.append(path) } })
      catalog.openAll()
    }

    func write(_ text: String, _ name: String) throws {
      try folder.write(text, to: name)
      listing.names.withLock { names in
        if !names.contains(name) { names.append(name) }
      }
    }

    func remove(_ name: String) { listing.names.withLock { $0.removeAll { $0 == name } } }

    func setUnavailable(_ paths: [String]) { listing.unavailable.withLock { $0 = paths } }

    func setSettings(_ path: String?) { listing.settings.withLock { $0 = path } }

    var reports: [String] { listing.reports.withLock(\.self) }

    func scan(_ seconds: Double) { watcher.scan(at: start + .seconds(seconds)) }

    var versions: [String] { catalog.entries.map(\.version) }
  }

  @Test func `A bundle is served once its files no longer change`() async throws {
    let host = try Host()
    try host.write("1", "a")
    host.scan(0)
    host.scan(1)
    #expect(host.versions.isEmpty)
    try host.write("12", "a")
    host.scan(2)
    host.scan(3)
    #expect(host.versions.isEmpty)
    host.scan(4)
    #expect(host.versions == ["12"])
    try await waitUntil { host.catalog.statuses.map(\.state) == [.ready] }
  }

  @Test func `A bundle that is not complete is listed and read again when it changes`() throws {
    let host = try Host()
    try host.write("", "a")
    host.scan(0)
    host.scan(3)
    #expect(host.catalog.statuses.map(\.state.label) == ["failed"])
    try host.write("2", "a")
    host.scan(4)
    host.scan(7)
    #expect(host.versions.contains("2"))
    #expect(throws: Never.self) { try host.catalog.model(named: "a") }
  }

  @Test func `A changed version replaces the old one`() async throws {
    let host = try Host()
    try host.write("1", "a")
    host.scan(0)
    host.scan(3)
    try await waitUntil { host.catalog.readiness.ready == ["a"] }
    try host.write("2 ", "a")
    host.scan(4)
    host.scan(7)
    try await waitUntil { (try? host.catalog.model(named: "a").version) == "2 " }
    #expect(host.versions == ["2 "])
  }

  @Test func `A broken bundle with another version leaves the old one in service`() async throws {
    let host = try Host()
    try host.write("1", "a")
    host.scan(0)
    host.scan(3)
    try await waitUntil { host.catalog.readiness.ready == ["a"] }
    let old = try host.catalog.model(named: "a")
    // A bundle that cannot be read, and one that cannot be opened.
    for (number, text) in ["", "broken"].enumerated() {
      try host.write(text, "a")
      host.scan(Double(10 * number + 4))
      host.scan(Double(10 * number + 7))
      try await waitUntil { host.catalog.statuses.first?.replacementError != nil }
      #expect(try host.catalog.model(named: "a") === old)
      #expect(host.versions == ["1"])
    }
    try host.write("2 ", "a")
    host.scan(24)
    host.scan(27)
    try await waitUntil { (try? host.catalog.model(named: "a").version) == "2 " }
    #expect(host.versions == ["2 "])
    host.remove("a")
    host.scan(30)
    host.scan(31)
    #expect(host.versions.isEmpty)
  }

  @Test func `A bundle whose folder cannot be listed is kept`() async throws {
    let host = try Host()
    try host.write("1", "a")
    host.scan(0)
    host.scan(3)
    try await waitUntil { host.catalog.readiness.isReady }
    let old = try host.catalog.model(named: "a")
    host.remove("a")
    host.setUnavailable([host.folder.path])
    for second in 4..<20 { host.scan(Double(second)) }
    #expect(try host.catalog.model(named: "a") === old)
    #expect(host.catalog.readiness.isReady)
    #expect(host.reports == [host.folder.path])
    // Another folder, whose path begins with the same letters.
    host.setUnavailable(["\(host.folder.path)/a-lost"])
    host.scan(20)
    host.scan(21)
    #expect(host.versions.isEmpty)
    #expect(!host.catalog.readiness.isReady)
  }

  @Test func `A settings file that is added or removed does not unload a bundle`() async throws {
    let host = try Host()
    try host.write("1", "a")
    host.scan(0)
    host.scan(3)
    try await waitUntil { host.catalog.readiness.ready == ["a"] }
    for path in [try host.folder.write("{}", to: "serving.json"), nil] {
      host.setSettings(path)
      for second in [10, 20, 30] { host.scan(Double(second)) }
      #expect(host.versions == ["1"])
      #expect(throws: Never.self) { try host.catalog.model(named: "a") }
    }
  }

  @Test func `A bundle that disappears for one scan only is kept`() async throws {
    let host = try Host()
    try host.write("1", "a")
    host.scan(0)
    host.scan(3)
    try await waitUntil { host.catalog.readiness.ready == ["a"] }
    host.remove("a")
    host.scan(4)
    try host.write("1", "a")
    host.scan(5)
    #expect(host.versions == ["1"])
    host.remove("a")
    host.scan(6)
    host.scan(7)
    #expect(host.versions.isEmpty)
    #expect(throws: ModelError.self) { try host.catalog.model(named: "a") }
  }
}
