import TensorIOBundle

/// The versions of one model.
struct ModelGroup: Sendable {
  let name: String
  /// All versions, newest first.
  private(set) var versions: [LazyModel] = []
  var settings: ServingSettings
  /// The versions that a client has unloaded.
  var unloaded: Set<String> = []
  /// The bundles that are being opened to replace others, by path.
  private var replacements: [String: LazyModel] = [:]

  init(_ name: String, _ settings: ServingSettings) {
    (self.name, self.settings) = (name, settings)
  }

  /// Adds a version, or replaces those with the same name or the same path.
  mutating func put(_ model: LazyModel) {
    replacements[model.entry.path] = nil
    versions.removeAll { $0.entry.isReplaced(by: model.entry) }
    let version = ModelVersion(model.entry.version)
    let index = versions.firstIndex { ModelVersion($0.entry.version) < version }
    versions.insert(model, at: index ?? versions.endIndex)
  }

  mutating func remove(_ entry: ModelCatalog.Entry) {
    versions.removeAll { $0.entry.path == entry.path }
    replacements[entry.path] = nil
    unloaded.remove(entry.version)
  }

  /// Returns the version that a bundle replaces: the one at its path, or else the one with its
  /// version.
  func replacedModel(by entry: ModelCatalog.Entry) -> LazyModel? {
    versions.first { $0.entry.path == entry.path }
      ?? versions.first { $0.entry.version == entry.version }
  }

  /// Records that a bundle is being opened to replace another one; it supersedes an older one that
  /// is being opened for the same path.
  mutating func beginReplacement(with model: LazyModel) { replacements[model.entry.path] = model }

  /// Ends the replacement with a bundle; returns false if the bundle was superseded or removed.
  mutating func endReplacement(with model: LazyModel) -> Bool {
    guard replacements[model.entry.path] === model else { return false }
    replacements[model.entry.path] = nil
    return true
  }

  /// Whether the policy selects a version once it has replaced another one.
  func selects(_ replacement: LazyModel, _ settings: ServingSettings) -> Bool {
    var group = self
    group.settings = settings
    group.put(replacement)
    return group.selected.contains { $0 === replacement }
  }

  /// The versions that the policy selects, newest first.
  ///
  /// A version that cannot be opened does not count as one of the latest, so that its predecessor
  /// remains available.
  var selected: [LazyModel] {
    let available = versions.filter { !unloaded.contains($0.entry.version) }
    switch settings.policy {
    case .all: return available
    case .specific(let names): return available.filter { names.contains($0.entry.version) }
    case .latest(let count):
      let working = available.filter { !$0.hasFailed }.prefix(count)
      return working.isEmpty ? Array(available.prefix(count)) : Array(working)
    }
  }

  /// The versions that requests can use: the selected ones, and those that are still open.
  var served: [LazyModel] {
    let selected = selected
    return versions.filter { model in isOpen(model) || selected.contains { $0 === model } }
  }

  /// Whether requests can use a version because it is open, also if it is not selected anymore.
  private func isOpen(_ model: LazyModel) -> Bool {
    model.readyModel != nil && !unloaded.contains(model.entry.version)
  }

  /// The versions that are open and not needed anymore.
  var superfluous: [LazyModel] {
    let selected = selected
    // The last version stays open until another one is ready.
    guard selected.contains(where: { $0.readyModel != nil }) else { return [] }
    return versions.filter { model in
      model.readyModel != nil && !selected.contains { $0 === model }
    }
  }

  /// Returns the version for a request; `nil` if there is none.
  func model(for selector: ModelSelector) -> LazyModel? {
    if let version = selector.version {
      return servedVersion(version) ?? settings.labels[version].flatMap { servedVersion($0) }
    }
    if let label = selector.label { return settings.labels[label].flatMap { servedVersion($0) } }
    return versions.first { isOpen($0) } ?? served.first
  }

  private func servedVersion(_ version: String) -> LazyModel? {
    let model = versions.first { $0.entry.version == version }
    // What the policy selects is found only for models that are not open.
    return model.flatMap { model in
      isOpen(model) || selected.contains { $0 === model } ? model : nil
    }
  }
}

extension ModelCatalog.Entry {
  /// Whether a bundle takes the place of this one: it has the same version, or was copied to the
  /// same path.
  fileprivate func isReplaced(by entry: ModelCatalog.Entry) -> Bool {
    version == entry.version || path == entry.path
  }
}
