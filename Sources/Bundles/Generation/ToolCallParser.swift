import TensorIOText

/// Finds calls of tools in the text of a model, which arrives in pieces.
///
/// Models write calls in the forms of their templates. What is not a call is text; white space around calls is not.
package struct ToolCallParser: Sendable {
  /// How a model writes calls.
  package enum Form: Hashable, Sendable {
    /// `<tool_call>{"name": …, "arguments": {…}}</tool_call>`, as Hermes and Qwen do.
    case tags
    /// `[TOOL_CALLS]`, and then an array of objects, or names with arguments, as Mistral does.
    case list
    /// Objects alone, as Llama 3 does.
    case objects

    /// Finds the form in a template.
    init(template: (String) -> Bool) {
      self = template(Self.tag) ? .tags : template(Self.listMarker) ? .list : .objects
    }

    fileprivate static let tag = "<tool_call>"
    fileprivate static let endTag = "</tool_call>"
    /// The text of the token before calls.
    package static let listMarker = "[TOOL_CALLS]"
  }

  /// A part of the text.
  package enum Event: Hashable, Sendable {
    case text(String)
    /// The beginning of a call.
    case call(name: String)
    /// A part of the arguments of the last call, as JSON text.
    case arguments(String)
  }

  private enum State: Sendable {
    /// Text that a marker may follow.
    case text(StopStringFilter)
    /// What follows a marker: an object, a list, or a name.
    case opening
    case object(ToolCallObject)
    /// What is between an object and the tag or bracket that ends it.
    case closing(StopStringFilter)
    /// The objects of a list, or those without a marker.
    case between
    /// A name that arguments follow.
    case name([UInt8])
  }

  private let form: Form
  private let names: Set<String>
  /// The maximum number of calls; further ones are dropped.
  private let maxCount: Int
  private var state: State
  /// The number of calls so far.
  package private(set) var count = 0
  /// White space that is text only if text follows.
  private var space = ""
  private var hasText = false
  private var events: [Event] = []

  /// Creates a parser.
  ///
  /// - Parameters:
  ///   - form: How the model writes calls.
  ///   - names: The names of the tools.
  ///   - maxCount: The maximum number of calls.
  package init(_ form: Form, names: Set<String>, maxCount: Int = .max) {
    (self.form, self.names, self.maxCount) = (form, names, maxCount)
    state = form == .objects ? .between : Self.text(form)
  }

  private static func text(_ form: Form) -> State {
    switch form {
    case .tags: .text(StopStringFilter([Form.tag]))
    case .list: .text(StopStringFilter([Form.listMarker]))
    case .objects: .text(StopStringFilter([]))
    }
  }

  /// Adds a piece of the text.
  ///
  /// - Parameters:
  ///   - piece: The piece.
  ///   - specialText: The text of its token, if it is a special one, which the piece leaves out.
  /// - Returns: What is certain now.
  package mutating func append(_ piece: String, specialText: String? = nil) -> [Event] {
    for scalar in piece.unicodeScalars { append(scalar) }
    if let specialText, [Form.tag, Form.endTag, Form.listMarker].contains(specialText) {
      for scalar in specialText.unicodeScalars { append(scalar) }
    }
    return takeEvents()
  }

  /// Ends the text; a call that is not whole is text, unless a part of it was passed on.
  package mutating func finish() -> [Event] {
    switch state {
    case .text(var filter): add(filter.finish())
    case .object(let object) where !object.isBegun:
      add(String(decoding: object.bytes, as: UTF8.self))
    case .name(let name): add(String(decoding: name, as: UTF8.self))
    case .opening, .object, .closing, .between: break
    }
    if count == 0, !space.isEmpty { emit(.text(space)) }
    space = ""
    return takeEvents()
  }

  private mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  private mutating func append(_ scalar: Unicode.Scalar) {
    let character = String(Character(scalar))
    // The state is taken out, so that what it holds back is not copied for each character.
    let current = state
    state = .between
    switch consume current {
    case .text(var filter):
      add(filter.append(character))
      state = filter.found == nil ? .text(filter) : .opening
    case .opening:
      if scalar.properties.isWhitespace {
        state = .opening
        return
      }
      if scalar == "{" { return begin(ToolCallObject(names: nil)) }
      if form == .list, scalar == "[" {
        state = .between
      } else if form == .list {
        state = .name(Array(character.utf8))
      } else {
        state = Self.text(form)
        add(Form.tag)
        append(scalar)
      }
    case .object(var object):
      for byte in character.utf8 { object.append(byte) }
      addEvents(of: &object)
      state = object.isEnded ? afterObject(object) : .object(object)
    case .closing(var filter):
      _ = filter.append(character)
      state = filter.found == nil ? .closing(filter) : Self.text(form)
    case .between: appendBetween(scalar)
    case .name(var name):
      guard scalar == "{" else {
        name += character.utf8
        state = .name(name)
        return
      }
      let text = String(decoding: name, as: UTF8.self).replacing("[ARGS]", with: "")
      begin(ToolCallObject(argumentsOf: text.trimmed))
    }
  }

  /// Adds a character where an object may begin.
  private mutating func appendBetween(_ scalar: Unicode.Scalar) {
    if scalar == "{" { return begin(ToolCallObject(names: form == .objects ? names : nil)) }
    if scalar.properties.isWhitespace {
      if form == .objects { add(String(Character(scalar))) }
      return
    }
    let isSeparator = scalar == "," || form == .objects && scalar == ";"
    if isSeparator, count > 0 { return }
    state = Self.text(form)
    if form == .list, scalar == "]" { return }
    append(scalar)
  }

  private mutating func begin(_ object: ToolCallObject) {
    var object = object
    object.append(UInt8(ascii: "{"))
    state = .object(object)
  }

  private mutating func addEvents(of object: inout ToolCallObject) {
    for event in object.takeEvents() {
      switch event {
      case .name(let name):
        count += 1
        space = ""
        emit(.call(name: name))
      case .arguments(let text): emit(.arguments(text))
      }
    }
  }

  private mutating func afterObject(_ object: ToolCallObject) -> State {
    let isCall = object.isBegun
    if !isCall { add(String(decoding: object.bytes, as: UTF8.self)) }
    switch form {
    case .tags: return .closing(StopStringFilter([Form.endTag]))
    case .list: return .between
    case .objects: return isCall ? .between : Self.text(form)
    }
  }

  /// Adds text, and holds back white space at its end.
  private mutating func add(_ text: String) {
    guard !text.isEmpty else { return }
    let end = text.unicodeScalars.lastIndex { !$0.properties.isWhitespace }
    guard let end else {
      space += text
      return
    }
    let stop = text.unicodeScalars.index(after: end)
    // After a call, white space does not begin a text.
    let leading = hasText || count == 0 ? space : ""
    emit(.text(leading + text[..<stop]))
    space = String(text[stop...])
    hasText = true
  }

  /// Adds an event to those of a piece; parts of the same text become one.
  private mutating func emit(_ event: Event) {
    if case .text = event {} else if count > maxCount { return }
    switch (events.last, event) {
    case (.text(let first), .text(let second)): events[events.count - 1] = .text(first + second)
    case (.arguments(let first), .arguments(let second)):
      events[events.count - 1] = .arguments(first + second)
    default: events.append(event)
    }
  }
}

extension String {
  fileprivate var trimmed: String {
    let scalars = unicodeScalars.drop { $0.properties.isWhitespace }
    let end = scalars.lastIndex { !$0.properties.isWhitespace }
    return end.map { String(scalars[...$0]) } ?? ""
  }
}
