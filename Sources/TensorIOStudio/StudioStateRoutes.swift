import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIODrawing
import TensorIOJSON
import TensorIOServer
import TensorIOSystem

/// What there is, and what the person has chosen.
struct StudioStateRoutes: Sendable {
  let studio: Studio

  var routes: [Route] {
    [
      .studio(.get, "/state", .inline) { (_) throws(StudioError) in state },
      .studio(.put, "/settings") { (request) throws(StudioError) in
        try applySettings(request.jsonObject())
        return state
      },
    ]
  }

  private var state: HTTPResponse {
    let choice = studio.settings.current
    return .json { writer in
      writer.object { writer in
        writer.member("version", studio.version)
        writer.member("models", array: writeModels)
        writer.member("default", orNull: choice.defaultModel)
        writer.member("threads", choice.effectiveThreads)
        writer.member("processors", Platform.processorCount)
        writer.member("top", choice.effectiveTop)
        writer.member("data", array: writeDatasets)
      }
    }
  }

  private func writeModels(_ writer: inout JSONWriter) {
    for model in studio.catalog.statuses { writer.object { model.writeMembers(to: &$0) } }
  }

  private func writeDatasets(_ writer: inout JSONWriter) {
    for data in studio.datasets {
      writer.object { writer in
        writer.member("name", data.name)
        writer.member("count", orNull: data.imageCount.map(Double.init))
      }
    }
  }
}

// MARK: Choosing

extension StudioStateRoutes {
  private func applySettings(_ node: JSONNode) throws(StudioError) {
    let old = studio.settings.current
    var choice = old
    for member in node.members.map(Array.init) ?? [] {
      switch member.name {
      case "threads": choice.threads = try member.value.positiveInteger("threads", max: 1024)
      case "top": choice.top = try member.value.positiveInteger("top", max: 10_000)
      case "default": choice.defaultModel = try model(member.value)
      case let name: throw .badRequest("there is no setting '\(name)'")
      }
    }
    studio.settings.current = choice
    if choice.effectiveThreads != old.effectiveThreads { studio.catalog.reopenAll() }
    try studio.host.saveSettings(choice, replacing: old)
  }

  private func model(_ node: JSONNode) throws(StudioError) -> String? {
    if node.kind == .null { return nil }
    guard let name = node.string, studio.catalog.entries.contains(where: { $0.name == name })
    else { throw .badRequest("'default' is the name of a model, or null") }
    return name
  }
}

extension JSONNode {
  fileprivate func positiveInteger(_ name: String, max most: Int) throws(StudioError) -> Int {
    guard let value = int, let count = Int(exactly: value), (1...most).contains(count) else {
      throw .badRequest("'\(name)' is a whole number from 1 to \(most)")
    }
    return count
  }
}

// MARK: Models

extension ModelCatalog.Entry {
  /// Takes the place of the model out of what is told of it.
  var redactor: PathRedactor { PathRedactor().redacting(path, as: name) }

  /// The bundle, where there is one that can be opened.
  var readableBundle: ModelBundle? { try? bundle?.get() }
}

extension ModelStatus {
  /// Writes what the page has to know of a model, as members of an object.
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("name", entry.name)
    writer.member("title", bundle?.name ?? entry.name)
    writer.member("task", orNull: bundle?.taskName)
    writer.member("backend", orNull: bundle?.backend.rawValue)
    writer.member("broken", orNull: error.map { StudioError($0, entry.redactor).message })
  }

  private var error: ModelError? {
    if case .failed(let error) = state { error } else { nil }
  }
}

/// What the person has chosen; what is `nil` is left to the program.
package struct StudioSettings: Sendable, Hashable {
  /// How many threads a run may use.
  package var threads: Int?
  /// How many labels are shown.
  package var top: Int?
  /// The name of the model that is shown first.
  package var defaultModel: String?

  /// Nothing is chosen.
  package init(threads: Int? = nil, top: Int? = nil, defaultModel: String? = nil) {
    (self.threads, self.top, self.defaultModel) = (threads, top, defaultModel)
  }

  /// How many threads a run uses now.
  package var effectiveThreads: Int { threads ?? ThreadCount.defaultCount }

  /// How many labels are shown now.
  package var effectiveTop: Int { top ?? ResultRenderer.defaultLabelCount }
}

/// The choice that holds now, for all threads.
package final class StudioSettingsStore: Sendable {
  private let value: Mutex<StudioSettings>

  /// Settings with what was chosen before.
  package init(_ choice: StudioSettings = StudioSettings()) { self.value = Mutex(choice) }

  /// What is chosen now; whoever sets it changes it for all.
  package var current: StudioSettings {
    get { value.withLock(\.self) }
    set { value.withLock { $0 = newValue } }
  }
}
