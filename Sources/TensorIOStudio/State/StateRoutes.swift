internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOServer
internal import TensorIOSystem

/// What there is, and what the person has chosen.
struct StateRoutes: Sendable {
  let studio: Studio

  var routes: [Route] {
    [
      .studio(.get, "/state", .immediate) { (_) throws(StudioRefusal) in state },
      .studio(.put, "/settings") { (request) throws(StudioRefusal) in
        try choose(request.object())
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
        writer.member("default", orNull: choice.model)
        writer.member("threads", choice.usedThreads)
        writer.member("processors", Platform.processorCount)
        writer.member("top", choice.shownLabels)
        writer.member("data", array: writeData)
      }
    }
  }

  private func writeModels(_ writer: inout JSONWriter) {
    for model in studio.catalogue.states { writer.object { model.writeMembers(to: &$0) } }
  }

  private func writeData(_ writer: inout JSONWriter) {
    for data in studio.data {
      writer.object { writer in
        writer.member("name", data.name)
        writer.member("count", orNull: data.count.map(Double.init))
      }
    }
  }
}

// MARK: Choosing

extension StateRoutes {
  private func choose(_ node: JSONNode) throws(StudioRefusal) {
    let old = studio.settings.current
    var choice = old
    for member in node.members.map(Array.init) ?? [] {
      switch member.name {
      case "threads": choice.threads = try member.value.count("threads", atMost: 1024)
      case "top": choice.top = try member.value.count("top", atMost: 10_000)
      case "default": choice.model = try model(member.value)
      case let name: throw .misunderstood("there is no setting '\(name)'")
      }
    }
    studio.settings.current = choice
    if choice.usedThreads != old.usedThreads { studio.catalogue.reopenAll() }
    try studio.library.remember(choice, insteadOf: old)
  }

  private func model(_ node: JSONNode) throws(StudioRefusal) -> String? {
    if node.kind == .null { return nil }
    guard let name = node.string, studio.catalogue.entries.contains(where: { $0.name == name })
    else { throw .misunderstood("'default' is the name of a model, or null") }
    return name
  }
}

extension JSONNode {
  fileprivate func count(_ name: String, atMost most: Int) throws(StudioRefusal) -> Int {
    guard let value = int, let count = Int(exactly: value), (1...most).contains(count) else {
      throw .misunderstood("'\(name)' is a whole number from 1 to \(most)")
    }
    return count
  }
}

// MARK: Models

extension ModelCatalogue.Entry {
  /// Takes the place of the model out of what is told of it.
  var veil: Veil { Veil().hiding(path, as: name) }

  /// The bundle, where there is one that can be opened.
  var openBundle: ModelBundle? { try? bundle?.get() }
}

extension ModelSnapshot {
  /// Writes what the page has to know of a model, as members of an object.
  func writeMembers(to writer: inout JSONWriter) {
    writer.member("name", entry.name)
    writer.member("title", bundle?.name ?? entry.name)
    writer.member("task", orNull: bundle?.task)
    writer.member("backend", orNull: bundle?.backend.rawValue)
    writer.member("broken", orNull: fault.map { StudioRefusal($0, entry.veil).message })
  }

  private var fault: ModelError? {
    if case .failed(let error) = state { error } else { nil }
  }
}
