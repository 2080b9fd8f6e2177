import Synchronization
import TensorIOSystem

/// Keeps the models of a catalog equal to the bundles on disk.
///
/// A bundle is added or replaced when it is complete: its files have not changed for a while, and
/// no file that it refers to is missing or invalid. A bundle that is copied slowly is not served
/// before that. A bundle that disappears is not served anymore; requests in progress keep it.
package final class ModelFolderWatcher: Sendable {
  /// How a server finds and reads its bundles.
  package struct Source: Sendable {
    /// Returns all bundles and chains.
    package var locations: @Sendable () -> [ModelLocation]
    /// Reads a bundle completely, and returns an entry with an error if it is not valid.
    package var read: @Sendable (ModelLocation) -> ModelCatalog.Entry

    /// Creates a source.
    package init(
      locations: @escaping @Sendable () -> [ModelLocation],
      read: @escaping @Sendable (ModelLocation) -> ModelCatalog.Entry
    ) {
      (self.locations, self.read) = (locations, read)
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
  private let known = Mutex<[ModelLocation: Known]>([:])
  private let isStopped = Atomic(false)

  /// Creates a watcher for a catalog that holds the entries of `entries`.
  package init(
    _ catalog: ModelCatalog, _ source: Source,
    entries: [(location: ModelLocation, entry: ModelCatalog.Entry)], interval: Duration
  ) {
    (self.catalog, self.source, self.interval) = (catalog, source, interval)
    known.withLock { known in
      for (location, _) in entries {
        known[location] = Known(stamp: Stamp(location))
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
    let locations = source.locations()
    for location in locations { update(location, now) }
    let missing = known.withLock { known in
      let found = Set(locations)
      for location in known.keys where !found.contains(location) {
        known[location]?.missedScans += 1
      }
      let missing = known.filter { $0.value.missedScans >= Self.maxMissedScans }.keys
      for location in missing { known[location] = nil }
      return missing
    }
    for location in missing { catalog.remove(named: location.name, path: location.path) }
  }

  private func update(_ location: ModelLocation, _ now: ContinuousClock.Instant) {
    let stamp = Stamp(location)
    let isDue = known.withLock { known in
      guard var bundle = known[location] else {
        known[location] = Known(stamp: stamp, changed: (stamp, now))
        return false
      }
      bundle.missedScans = 0
      defer { known[location] = bundle }
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
