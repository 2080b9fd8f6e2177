import Synchronization
package import TensorIOBundle
package import TensorIOCore

/// The models of a server, by name and version.
///
/// Each is opened on first use, or at once after ``openAll()``. A catalog may be shared between
/// threads. Replacing or removing a model does not affect requests that are already using it.
package final class ModelCatalog: Sendable {
  /// Opens the model of an entry.
  package typealias Opener = @Sendable (Entry) throws(ModelError) -> Model
  /// Returns the bundles of a model that exist on disk.
  package typealias Finder = @Sendable (_ name: String) -> [Entry]

  private struct State {
    var groups: [ModelGroup] = []
    /// Whether models are opened before they are requested.
    var opensEagerly = false
    /// The models that ``openAll()`` is opening.
    var starting: Set<String> = []
  }

  private let state = Mutex(State())
  private let opener: Opener
  private let finder: Finder?
  private let loader = ModelLoader()
  private let defaultSettings: ServingSettings
  private let mayBeEmpty: Bool
  /// Called after a model was opened, replaced or removed, or could not be opened.
  private let onChange: (@Sendable (ModelChange) -> Void)?

  /// Creates a catalog of `entries`, in their order.
  ///
  /// `mayBeEmpty` is whether it is ready without models, because they are added by request, and
  /// `finder` finds those that are loaded by request.
  package init(
    _ entries: [Entry], settings: ServingSettings = ServingSettings(), mayBeEmpty: Bool = false,
    finder: Finder? = nil, onChange: (@Sendable (ModelChange) -> Void)? = nil,
    opener: @escaping Opener
  ) {
    (self.opener, self.defaultSettings, self.onChange) = (opener, settings, onChange)
    self.finder = finder
    self.mayBeEmpty = mayBeEmpty
    state.withLock { state in
      for entry in entries { put(entry, &state) }
    }
  }

  private func put(_ entry: Entry, _ state: inout State) {
    if !state.groups.contains(where: { $0.name == entry.name }) {
      state.groups.append(ModelGroup(entry.name, entry.settings ?? defaultSettings))
    }
    guard let index = state.groups.firstIndex(where: { $0.name == entry.name }) else { return }
    state.groups[index].settings = entry.settings ?? defaultSettings
    let old = state.groups[index].replacedModel(by: entry)
    state.groups[index].put(lazyModel(entry, replacing: old, reportsFailures: true))
  }

  private func lazyModel(
    _ entry: Entry, replacing old: LazyModel?, reportsFailures: Bool = false
  ) -> LazyModel {
    // Another version has counts of its own.
    let statistics = old.flatMap { $0.entry.version == entry.version ? $0.statistics : nil }
    return LazyModel(
      entry, (entry.settings ?? defaultSettings).options,
      statistics: statistics ?? ModelStatistics(),
      onEvent: { [onChange] event in
        onChange?(ModelChange(name: entry.name, version: entry.version, event: event))
      }
    ) { [opener, weak self] (entry) throws(ModelError) in
      do throws(ModelError) {
        return try opener(entry)
      } catch {
        if reportsFailures { self?.reportIfLazy(entry, error) }
        throw error
      }
    }
  }

  /// Reports that a model could not be opened for a request; models that are opened eagerly are
  /// reported with their result.
  private func reportIfLazy(_ entry: Entry, _ error: ModelError) {
    guard !state.withLock(\.opensEagerly) else { return }
    report(entry, .failure(error), .opened)
  }
}

// MARK: Lookup

extension ModelCatalog {
  /// The entries, in order; of each model, the newest version first.
  package var entries: [Entry] { state.withLock { $0.groups.flatMap(\.versions).map(\.entry) } }

  /// The status of every version of every model, in order.
  package var statuses: [ModelStatus] {
    state.withLock(\.groups).flatMap(\.versions).map(\.status)
  }

  /// Returns the status of the versions of a model that requests can use, newest first.
  package func servedStatuses(of name: String) -> [ModelStatus] {
    (group(named: name)?.served ?? []).map(\.status)
  }

  /// Returns the settings of a model; `nil` if there is none with this name.
  package func settings(of name: String) -> ServingSettings? { group(named: name)?.settings }

  /// Returns the entry with the given name.
  package func entry(named name: String) throws(ModelError) -> Entry {
    try lazyModel(ModelSelector(name)).entry
  }

  /// Whether there is a version that a request selects.
  func serves(_ selector: ModelSelector) -> Bool {
    group(named: selector.name)?.model(for: selector) != nil
  }

  /// Returns the status of the version that a request selects.
  package func status(of selector: ModelSelector) throws(ModelError) -> ModelStatus {
    try lazyModel(selector).status
  }

  /// Returns the model with the given name, opening it on the calling thread if necessary.
  ///
  /// Threads that request the same model at the same time wait for one attempt.
  package func model(named name: String) throws(ModelError) -> ServedModel {
    try model(ModelSelector(name))
  }

  /// Returns the model that a request selects, opening it on the calling thread if necessary.
  package func model(_ selector: ModelSelector) throws(ModelError) -> ServedModel {
    try lazyModel(selector).model()
  }

  /// Returns the model that a request selects, and waits without a thread while it is being opened.
  package func openModel(_ selector: ModelSelector) async throws(ModelError) -> ServedModel {
    let model = try lazyModel(selector)
    if let ready = model.readyModel { return ready }
    let opened: LazyModel.Opened = await withCheckedContinuation { continuation in
      if let work = model.load({ continuation.resume(returning: $0) }) { loader.submit(work) }
    }
    return try opened.get()
  }

  /// Returns the error of a request that would be rejected because its model is suspended.
  ///
  /// Fast enough for the event loop.
  package func rejection(_ selector: ModelSelector) -> ModelError? {
    group(named: selector.name)?.model(for: selector)?.readyModel?.breaker.rejection()
  }

  /// Counts a request that was rejected because the queue of its model is full.
  package func recordOverload(_ selector: ModelSelector) {
    group(named: selector.name)?.model(for: selector)?.statistics.recordRejection()
  }

  private func group(named name: String) -> ModelGroup? {
    state.withLock { state in state.groups.first { $0.name == name } }
  }

  private func lazyModel(_ selector: ModelSelector) throws(ModelError) -> LazyModel {
    let groups = state.withLock(\.groups)
    if let group = groups.first(where: { $0.name == selector.name }),
      let model = group.model(for: selector)
    {
      return model
    }
    let name = [selector.name, selector.version ?? selector.label].compactMap(\.self)
      .joined(separator: " ")
    throw ModelError(.bundle, .unknownBundle(name, known: groups.map(\.name)))
  }
}

// MARK: Changes

extension ModelCatalog {
  /// Opens all models that the version policies select, and those that are added later.
  package func openAll() {
    let names = state.withLock { state in
      state.opensEagerly = true
      state.starting = Set(state.groups.map(\.name))
      return state.groups.map(\.name)
    }
    for name in names { openSelected(name) }
  }

  /// Whether the models can be used.
  package var readiness: ModelReadiness {
    let (groups, opensEagerly, starting) = state.withLock {
      ($0.groups, $0.opensEagerly, $0.starting)
    }
    var readiness = ModelReadiness()
    readiness.mayBeEmpty = mayBeEmpty
    for group in groups {
      let selected = group.selected
      let isReady = group.served.contains { $0.readyModel != nil }
      if isReady {
        readiness.ready.append(group.name)
      } else if !selected.isEmpty, selected.allSatisfy(\.hasFailed) {
        readiness.failed.append(group.name)
      } else if !selected.isEmpty {
        if opensEagerly {
          readiness.loading.append(group.name)
          if starting.contains(group.name) { readiness.isStarting = true }
        } else {
          readiness.unloaded.append(group.name)
        }
      }
      for version in selected where isReady && version.hasFailed {
        readiness.failed.append("\(group.name) \(version.entry.version)")
      }
      for (label, version) in group.settings.labels.sorted(by: { $0.key < $1.key })
      where !group.served.contains(where: { $0.entry.version == version }) {
        readiness.missingLabels.append(ModelSelector(group.name, label: label))
      }
    }
    return readiness
  }

  /// Appends an entry, or replaces the one with the same name and the same path or version.
  ///
  /// The replacement of an open model is opened first, also one with another version; until then,
  /// and if that fails, the old bundle is served.
  package func add(_ entry: Entry) {
    let replacement: LazyModel? = state.withLock { state in
      if let index = state.groups.firstIndex(where: { $0.name == entry.name }),
        let old = state.groups[index].replacedModel(by: entry), old.readyModel != nil
      {
        let model = lazyModel(entry, replacing: old)
        let settings = entry.settings ?? defaultSettings
        if entry.error != nil || state.groups[index].selects(model, settings) {
          state.groups[index].beginReplacement(with: model)
          return model
        }
      }
      put(entry, &state)
      return nil
    }
    guard let replacement else {
      if let error = entry.error { report(entry, .failure(error), .opened) }
      return openSelected(entry.name)
    }
    open(replacement) { [self] result in finishReplacement(with: replacement, result) }
  }

  /// Removes all versions of a model.
  package func remove(named name: String) {
    let removed = state.withLock { state in
      let removed = state.groups.filter { $0.name == name }
      state.groups.removeAll { $0.name == name }
      return removed.flatMap(\.versions).map(\.entry.version)
    }
    for version in removed {
      onChange?(ModelChange(name: name, version: version, event: .removed))
    }
  }

  /// Removes the version of a model whose bundle is at a path.
  package func remove(named name: String, path: String) {
    let removed: Entry? = state.withLock { state in
      guard let index = state.groups.firstIndex(where: { $0.name == name }),
        let entry = state.groups[index].versions.map(\.entry).first(where: { $0.path == path })
      else { return nil }
      state.groups[index].remove(entry)
      if state.groups[index].versions.isEmpty { state.groups.remove(at: index) }
      return entry
    }
    guard let removed else { return }
    onChange?(ModelChange(name: name, version: removed.version, event: .removed))
    openSelected(name)
  }

  /// Reopens every model on its next use, for example after a change of settings.
  package func reopenAll() {
    state.withLock { state in
      let entries = state.groups.flatMap(\.versions).map(\.entry)
      for entry in entries { put(entry, &state) }
    }
  }

  /// Reads the bundles of a model that requests cannot use, because it was added to the disk or
  /// unloaded, and returns whether there is a model with the name.
  package func findUnserved(_ name: String) -> Bool {
    if let finder, group(named: name)?.served.isEmpty != false {
      let found = finder(name)
      state.withLock { state in
        for entry in found { put(entry, &state) }
      }
    }
    return group(named: name) != nil
  }

  /// Opens a model again beside the open one, with other settings unless they are `nil`, and calls
  /// `completion` when it is served.
  package func load(
    _ name: String, version: String? = nil, settings: ServingSettings? = nil,
    completion: @escaping @Sendable (Result<Void, ModelError>) -> Void
  ) {
    let model: LazyModel? = state.withLock { state in
      guard let index = state.groups.firstIndex(where: { $0.name == name }) else { return nil }
      if let version {
        state.groups[index].unloaded.remove(version)
      } else {
        state.groups[index].unloaded = []
      }
      guard let old = state.groups[index].model(for: ModelSelector(name, version: version)) else {
        return nil
      }
      let model = lazyModel(old.entry.with(settings), replacing: old)
      state.groups[index].beginReplacement(with: model)
      return model
    }
    guard let model else {
      return completion(
        .failure(ModelError(.bundle, .unknownBundle(name, known: entries.map(\.name)))))
    }
    open(model) { [self] result in
      finishReplacement(with: model, result)
      completion(result.map { _ in })
    }
  }

  /// Stops serving a model, or one version of it, until it is loaded again.
  ///
  /// Returns false if there is no such model.
  package func unload(_ name: String, version: String? = nil) -> Bool {
    let models: [LazyModel]? = state.withLock { state in
      guard let index = state.groups.firstIndex(where: { $0.name == name }) else { return nil }
      let models = state.groups[index].versions.filter {
        version == nil || $0.entry.version == version
      }
      state.groups[index].unloaded.formUnion(models.map(\.entry.version))
      return models
    }
    guard let models, !models.isEmpty else { return false }
    for model in models {
      model.unload()
      onChange?(ModelChange(name: name, version: model.entry.version, event: .unloaded))
    }
    return true
  }

  private func open(_ model: LazyModel, _ completion: @escaping LazyModel.Completion) {
    guard let work = model.load(completion) else { return }
    loader.submit(work)
  }

  /// Opens the selected versions of a model, and closes the others when one is ready.
  private func openSelected(_ name: String) {
    guard state.withLock(\.opensEagerly), let group = group(named: name) else { return }
    let missing = group.selected.filter { !$0.isSettled }
    for model in missing {
      open(model) { [self] result in
        report(model.entry, result, .opened)
        openSelected(name)
      }
    }
    guard missing.isEmpty else { return }
    state.withLock { _ = $0.starting.remove(name) }
    closeSuperfluous(name)
  }

  private func finishReplacement(with model: LazyModel, _ result: LazyModel.Opened) {
    let entry = model.entry
    let isCurrent = state.withLock { state in
      guard let index = state.groups.firstIndex(where: { $0.name == entry.name }),
        state.groups[index].endReplacement(with: model)
      else { return false }
      switch result {
      case .success:
        state.groups[index].settings = entry.settings ?? defaultSettings
        state.groups[index].put(model)
      case .failure(let error):
        state.groups[index].replacedModel(by: entry)?.setReplacementError(error)
      }
      return true
    }
    guard isCurrent else { return }
    switch result {
    case .success: report(entry, result, .replaced)
    case .failure(let error):
      onChange?(
        ModelChange(name: entry.name, version: entry.version, event: .replacementFailed(error)))
    }
    closeSuperfluous(entry.name)
  }

  private func closeSuperfluous(_ name: String) {
    for model in group(named: name)?.superfluous ?? [] {
      model.unload()
      onChange?(ModelChange(name: name, version: model.entry.version, event: .unloaded))
    }
  }

  private func report(
    _ entry: Entry, _ result: LazyModel.Opened, _ event: ModelChange.Event
  ) {
    switch result {
    case .success: onChange?(ModelChange(name: entry.name, version: entry.version, event: event))
    case .failure(let error):
      onChange?(ModelChange(name: entry.name, version: entry.version, event: .failed(error)))
    }
  }
}

extension ModelCatalog {
  /// A version of a model, or a chain, that can be requested by name.
  package struct Entry: Sendable {
    /// The name in request paths.
    package let name: String
    /// The version in request paths.
    package let version: String
    /// The path on disk.
    ///
    /// Never sent to clients.
    package let path: String
    /// The bundle, or the error that reading it threw; `nil` if it is read only when the model is opened.
    package let bundle: Result<ModelBundle, ModelError>?
    /// The settings of the model; `nil` for those of the server.
    package let settings: ServingSettings?

    /// Creates an entry.
    package init(
      name: String, version: String = ModelSelector.defaultVersion, path: String,
      bundle: Result<ModelBundle, ModelError>?, settings: ServingSettings? = nil
    ) {
      (self.name, self.version, self.path) = (name, version, path)
      (self.bundle, self.settings) = (bundle, settings)
    }

    /// Returns the entry with other settings, unless they are `nil`.
    func with(_ settings: ServingSettings?) -> Entry {
      Entry(
        name: name, version: version, path: path, bundle: bundle,
        settings: settings ?? self.settings)
    }

    /// The error that prevents opening the model, if its bundle is invalid.
    package var error: ModelError? {
      if case .failure(let error) = bundle { error } else { nil }
    }
  }
}
