import Synchronization
import TensorIOSystem

/// Keeps the models of a catalog equal to the bundles on disk.
///
/// A bundle is added or replaced when it is complete: its files have not changed for a while, and
/// no file that it refers to is missing or invalid. A bundle that is copied slowly is not served
/// before that. A bundle that disappears is not served anymore; requests in progress keep it. One
/// whose folder cannot be listed, for example because its volume is lost, is still served.
package final class ModelFolderWatcher: Sendable {
  /// How a server finds and reads its bundles.
  package struct Source: Sendable {
    /// Returns all bundles and chains.
    package var list: @Sendable () -> Listing
    /// Reads a bundle completely, and returns an entry with an error if it is not valid.
    package var read: @Sendable (ModelLocation) -> ModelCatalog.Entry

    /// Creates a source.
    package init(
      list: @escaping @Sendable () -> Listing,
      read: @escaping @Sendable (ModelLocation) -> ModelCatalog.Entry
    ) {
      (self.list, self.read) = (list, read)
    }
  }

  /// The bundles and chains that exist at one time.
  package struct Listing: Sendable {
    package var locations: [ModelLocation]
    /// The folders that cannot be listed, and the bundles that are named as arguments and missing.
    package var unavailable: [String]

    /// Creates a listing.
    package init(_ locations: [ModelLocation] = [], unavailable: [String] = []) {
      (self.locations, self.unavailable) = (locations, unavailable)
    }

    /// Whether a bundle that is not listed may still exist.
    func mayContain(_ path: String) -> Bool {
      unavailable.contains { path == $0 || path.hasPrefix("\($0)/") }
    }
  }

  /// The state of the files of a bundle.
  private struct Stamp: Equatable {
    let file: FileStamp?
    let folder: DirectoryStamp?
    let settings: FileStamp?

    init(_ location: ModelLocation) {
      let isFolder = FileKind(at: location.path) == .directory
      file = isFolder ? nil : FileStamp(location.path)
      folder = isFolder ? DirectoryStamp(location.path) : nil
      settings = location.settingsPath.flatMap { FileStamp($0) }
    }
  }

  /// A bundle that the watcher has seen.
  private struct Known {
    /// The files that the catalog's entry was read from.
    var stamp: Stamp
    /// Files that differ, and since when.
    var changed: (stamp: Stamp, since: ContinuousClock.Instant)?
    /// The number of scans in a row that have not found it.
    var missedScans = 0
  }

  /// For how long the files of a bundle must not change before it is read.
  private static let minSettlingTime = Duration.seconds(2)
  /// The number of scans after which a bundle that is not found is removed, so that replacing a
  /// folder by renaming two is not a removal.
  private static let maxMissedScans = 2

  private let catalog: ModelCatalog
  private let source: Source
  private let interval: Duration
  /// The bundles by location, without the settings, which may be added and removed.
  private let known = Mutex<[ModelLocation: Known]>([:])
  private let unavailable = Mutex<[String]>([])
  /// Called once when a folder can no longer be listed.
  private let onUnavailable: (@Sendable (String) -> Void)?
  private let isStopped = Atomic(false)

  /// Creates a watcher for a catalog that holds the entries of `entries`.
  package init(
    _ catalog: ModelCatalog, _ source: Source,
    entries: [(location: ModelLocation, entry: ModelCatalog.Entry)], interval: Duration,
    onUnavailable: (@Sendable (String) -> Void)? = nil
  ) {
    (self.catalog, self.source, self.interval) = (catalog, source, interval)
    self.onUnavailable = onUnavailable
    known.withLock { known in
      for (location, _) in entries {
        known[location.withoutSettings] = Known(stamp: Stamp(location))
      }
    }
  }

  /// Starts to scan on a thread; returns false if the system has no resources for it.
  package func start() -> Bool {
    PermanentThread.start { [weak self] in
      while let watcher = self, !watcher.isStopped.load(ordering: .relaxed) {
        let end = ContinuousClock.now + watcher.interval
        while ContinuousClock.now < end, !watcher.isStopped.load(ordering: .relaxed) {
          BlockingSleep.sleep(min(.milliseconds(200), ContinuousClock.now.duration(to: end)))
        }
        watcher.scan()
      }
    }
  }

  /// Stops scanning.
  package func stop() { isStopped.store(true, ordering: .relaxed) }

  /// Compares the bundles on disk with those of the last scan, and updates the catalog.
  package func scan(at now: ContinuousClock.Instant = .now) {
    let listing = source.list()
    reportUnavailable(listing)
    for location in listing.locations { update(location, now) }
    let missing = known.withLock { known in
      let found = Set(listing.locations.map(\.withoutSettings))
      for location in known.keys
      where !found.contains(location) && !listing.mayContain(location.path) {
        known[location]?.missedScans += 1
      }
      let missing = known.filter { $0.value.missedScans >= Self.maxMissedScans }.keys
      for location in missing { known[location] = nil }
      return missing
    }
    for location in missing { catalog.remove(named: location.name, path: location.path) }
  }

  private func reportUnavailable(_ listing: Listing) {
    let added = unavailable.withLock { known in
      defer { known = listing.unavailable }
      return listing.unavailable.filter { !known.contains($0) }
    }
    for path in added { onUnavailable?(path) }
  }

  private func update(_ location: ModelLocation, _ now: ContinuousClock.Instant) {
    let (stamp, key) = (Stamp(location), location.withoutSettings)
    let isDue = known.withLock { known in
      guard var bundle = known[key] else {
        known[key] = Known(stamp: stamp, changed: (stamp, now))
        return false
      }
      bundle.missedScans = 0
      defer { known[key] = bundle }
      guard let changed = bundle.changed else {
        if bundle.stamp != stamp { bundle.changed = (stamp, now) }
        return false
      }
      guard changed.stamp == stamp else {
        bundle.changed = (stamp, now)
        return false
      }
      guard changed.since.duration(to: now) >= Self.minSettlingTime else { return false }
      bundle.changed = nil
      bundle.stamp = stamp
      return true
    }
    if isDue { read(location, stamp) }
  }

  private func read(_ location: ModelLocation, _ stamp: Stamp) {
    let entry = source.read(location)
    // A file that changed while it was read is read again.
    guard Stamp(location) == stamp else { return }
    catalog.add(entry)
  }
}

extension ModelLocation {
  fileprivate var withoutSettings: ModelLocation {
    var location = self
    location.settingsPath = nil
    return location
  }
}
