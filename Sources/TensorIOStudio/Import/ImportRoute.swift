internal import TensorIOAnswers
internal import TensorIOCore
internal import TensorIOServer

/// Takes in a bundle that a person drops on the page.
struct ImportRoute: Sendable {
  let studio: Studio

  /// The most bytes that a zip may have.
  private static let limit = 512 << 20

  var routes: [Route] {
    [
      .studio(.post, "/import", bodyLimit: Self.limit) { (request) throws(StudioRefusal) in
        try bring(request)
      }
    ]
  }

  private func bring(_ request: HTTPRequest) throws(StudioRefusal) -> HTTPResponse {
    guard !request.body.isEmpty else { throw .misunderstood("the body is the zip of a bundle") }
    let isReplacing = request.target["replace"] == "1"
    let name = request.target["name"].flatMap { $0.isEmpty ? nil : $0 }
    let taken = isReplacing ? [] : Set(studio.catalogue.entries.map(\.name))
    let model = try studio.library.bring(
      request.body, name: name, isReplacing: isReplacing, taken: taken)
    for name in model.replaced { studio.catalogue.remove(named: name) }
    studio.catalogue.add(model.entry)
    return answer(model)
  }

  private func answer(_ model: BroughtModel) -> HTTPResponse {
    let snapshot = studio.catalogue.states.first { $0.entry.name == model.entry.name }
    return .json(.created) { writer in
      writer.object { writer in
        writer.member("model", object: { snapshot?.writeMembers(to: &$0) })
        writer.member("problems", array: { writer in model.problems.forEach { writer.value($0) } })
      }
    }
  }
}
