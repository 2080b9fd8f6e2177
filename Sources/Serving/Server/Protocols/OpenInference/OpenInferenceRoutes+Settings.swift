import TensorIOBundle
import TensorIOJSON

// The trace and logging settings.
extension OpenInferenceRoutes {
  var settingsRoutes: [Route] {
    [
      definition(.get, "/v2/trace/setting", traceSettings),
      definition(.post, "/v2/trace/setting", updateTraceSettings),
      definition(.get, "/v2/models/:name/trace/setting", traceSettings),
      definition(.post, "/v2/models/:name/trace/setting", updateTraceSettings),
      definition(.get, "/v2/logging", logSettings),
      definition(.post, "/v2/logging", updateLogSettings),
    ]
  }

  private func traceSettings(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    Self.response(service.settings.trace(of: try modelName(request)))
  }

  private func updateTraceSettings(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    try service.requireAdministrator(request.context)
    let name = try modelName(request)
    try service.settings.updateTrace(Self.changes(request), of: name)
    return Self.response(service.settings.trace(of: name))
  }

  private func logSettings(_ request: HTTPRequest) -> HTTPResponse {
    Self.response(service.settings.log)
  }

  private func updateLogSettings(_ request: HTTPRequest) throws(ClientError) -> HTTPResponse {
    try service.requireAdministrator(request.context)
    try service.settings.updateLog(Self.changes(request))
    return Self.response(service.settings.log)
  }

  /// Returns the name of the model in the path; `nil` if there is none.
  private func modelName(_ request: HTTPRequest) throws(ClientError) -> String? {
    guard let name = request.pathParameters[Route.modelParameter] else { return nil }
    _ = try service.resolve(ModelSelector(name))
    return name
  }

  private static func changes(
    _ request: HTTPRequest
  ) throws(ClientError) -> [String: InferenceSettings.Value?] {
    guard let members = try object(request)?.members else { return [:] }
    var changes: [String: InferenceSettings.Value?] = [:]
    for member in members {
      let value = member.value
      if value.kind == .null {
        changes.updateValue(nil, forKey: member.name)
      } else if let flag = value.bool {
        changes[member.name] = .bool(flag)
      } else if let integer = value.int {
        changes[member.name] = .int(Int(integer))
      } else if let text = value.string {
        changes[member.name] = .string(text)
      } else if let elements = value.elements {
        changes[member.name] = .strings(elements.compactMap(\.string))
      } else {
        throw ClientError(
          .badRequest, "invalid-setting", "setting '\(member.name)' has a value of a wrong type")
      }
    }
    return changes
  }

  private static func response(_ settings: [String: InferenceSettings.Value]) -> HTTPResponse {
    .jsonObject { writer in
      for (name, value) in settings.sorted(by: { $0.key < $1.key }) {
        switch value {
        case .bool(let flag): writer.member(name, flag)
        case .int(let integer): writer.member(name, integer)
        case .string(let text): writer.member(name, text)
        case .strings(let texts): writer.strings(name, texts)
        }
      }
    }
  }
}
