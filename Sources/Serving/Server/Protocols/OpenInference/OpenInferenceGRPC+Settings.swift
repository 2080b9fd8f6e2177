import TensorIOBundle
import TensorIOCore
import TensorIOJSON

// The trace and logging settings.
extension OpenInferenceGRPC {
  var settingsMethods: [GRPCMethod] {
    [
      method("TraceSetting", isChange: Self.hasSettings("TraceSettingRequest")) {
        (message) throws(ClientError) in
        let type = "TraceSettingRequest"
        let name = try ProtobufFields(message, of: type).string(2, of: type)
        let model = name.isEmpty ? nil : name
        if let model { _ = try service.resolve(ModelSelector(model)) }
        var changes: [String: InferenceSettings.Value?] = [:]
        for (setting, value) in try message.entries(1, of: type) {
          changes.updateValue(try Self.traceValue(setting, value), forKey: setting)
        }
        try service.settings.updateTrace(changes, of: model)
        let settings = service.settings.trace(of: model)
        return Self.response("TraceSetting") { writer in
          writer.member("settings") { writer in
            for (name, value) in settings {
              writer.member(name, object: { $0.strings("value", value.texts) })
            }
          }
        }
      },
      method("LogSettings", isChange: Self.hasSettings("LogSettingsRequest")) {
        (message) throws(ClientError) in
        let type = "LogSettingsRequest"
        var changes: [String: InferenceSettings.Value?] = [:]
        for (setting, value) in try message.entries(1, of: type) {
          changes[setting] = try Self.logValue(value)
        }
        try service.settings.updateLog(changes)
        let settings = service.settings.log
        return Self.response("LogSettings") { writer in
          writer.member("settings") { writer in
            for (name, value) in settings {
              writer.member(name, object: { value.writeChoice(to: &$0) })
            }
          }
        }
      },
    ]
  }

  /// Returns whether a request changes settings, which are its first field, or only reads them.
  private static func hasSettings(
    _ type: String
  ) -> @Sendable (ProtobufMessage) throws(ClientError) -> Bool {
    { (message) throws(ClientError) in try !message.entries(1, of: type).isEmpty }
  }

  /// Returns the value of a trace setting; `nil` for its default.
  private static func traceValue(
    _ setting: String, _ message: ProtobufMessage
  ) throws(ClientError) -> InferenceSettings.Value? {
    var texts: [String] = []
    do throws(ProtobufError) {
      try message.forEachField { (number, value) throws(ProtobufError) in
        guard texts.count < ProtobufMessage.maxEntryCount else { throw .tooManyEntries }
        if number == 1 { texts.append(try value.string()) }
      }
    } catch {
      throw ClientError(error, in: "TraceSettingRequest")
    }
    if setting == "trace_level" { return texts.isEmpty ? nil : .strings(texts) }
    return texts.first.map { .string($0) }
  }

  private static func logValue(
    _ message: ProtobufMessage
  ) throws(ClientError) -> InferenceSettings.Value? {
    let type = "LogSettingsRequest"
    let fields = try ProtobufFields(message, of: type)
    if fields[1] != nil { return .bool(try fields.bool(1, of: type)) }
    if let value = fields[2] { return (try? value.integer()).map { .int($0) } }
    return fields[3] == nil ? nil : .string(try fields.string(3, of: type))
  }
}

extension InferenceSettings.Value {
  /// The value as a list of strings, which trace settings are.
  fileprivate var texts: [String] {
    switch self {
    case .bool(let flag): [flag.description]
    case .int(let number): [number.description]
    case .string(let text): [text]
    case .strings(let texts): texts
    }
  }

  /// Writes the value in the member for its type.
  fileprivate func writeChoice(to writer: inout JSONWriter) {
    switch self {
    case .bool(let flag): writer.member("bool_param", flag)
    case .int(let number): writer.member("uint32_param", number)
    case .string(let text): writer.member("string_param", text)
    case .strings(let texts): writer.member("string_param", texts.joined(separator: ","))
    }
  }
}
