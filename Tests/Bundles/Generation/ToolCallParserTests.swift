import TensorIOTestSupport
import Testing

@testable import TensorIOGeneration

/// Calls of tools in the forms of published templates, in pieces of every length.
struct ToolCallParserTests {
  private typealias Event = ToolCallParser.Event

  struct Case: CustomTestStringConvertible {
    let form: ToolCallParser.Form
    let input: String
    let text: String
    let calls: [[String]]

    init(
      _ form: ToolCallParser.Form, _ input: String, text: String = "", _ calls: [[String]] = []
    ) {
      (self.form, self.input, self.text, self.calls) = (form, input, text, calls)
    }

    var testDescription: String { input }
  }

  /// Returns the text and the calls of events.
  private func parts(_ events: [Event]) -> (text: String, calls: [[String]]) {
    var (text, calls) = ("", [[String]]())
    for event in events {
      switch event {
      case .text(let part): text += part
      case .call(let name): calls.append([name, ""])
      case .arguments(let part): calls[calls.count - 1][1] += part
      }
    }
    return (text, calls)
  }

  private func events(_ form: ToolCallParser.Form, _ input: String, by length: Int) -> [Event] {
    var parser = ToolCallParser(form, names: ["f", "g"])
    var events: [Event] = []
    var rest = Array(input)[...]
    while !rest.isEmpty {
      events += parser.append(String(rest.prefix(length)))
      rest = rest.dropFirst(length)
    }
    return events + parser.finish()
  }

  @Test(arguments: [
    Case(.tags, "Just text.", text: "Just text."),
    Case(.tags, "a < b <tool> \n", text: "a < b <tool> \n"),
    Case(
      .tags,
      "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": [1, {\"b\": \"}\\\"\"}]}}\n</tool_call>",
      [["f", "{\"a\": [1, {\"b\": \"}\\\"\"}]}"]]),
    Case(
      .tags,
      "Wait.\n<tool_call>{\"arguments\": {}, \"name\": \"f\"}</tool_call>\n<tool_call>{\"name\":\"g\"}</tool_call> \n",
      text: "Wait.", [["f", "{}"], ["g", "{}"]]),
    Case(
      .tags, "<tool_call>{\"name\": \"f\", \"arguments\": \"{\\\"a\\\": 1}\"}</tool_call>",
      [["f", "{\"a\": 1}"]]),
    Case(.tags, "<tool_call>{\"name\": \"f\", \"arguments\": null}</tool_call>", [["f", "{}"]]),
    Case(.tags, "<tool_call>{\"a\": 1}</tool_call>", text: "{\"a\": 1}"),
    Case(.tags, "<tool_call>none", text: "<tool_call>none"),
    Case(.tags, "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\"", [["f", "{\"a\""]]),
    Case(.tags, "<tool_call>{\"name\": \"f\"", text: "{\"name\": \"f\""),
    Case(
      .list,
      "[TOOL_CALLS] [{\"name\": \"f\", \"arguments\": {\"a\": 1}}, {\"name\": \"g\", \"arguments\": {}}]",
      [["f", "{\"a\": 1}"], ["g", "{}"]]),
    Case(
      .list, "Yes.[TOOL_CALLS]f{\"a\": \"ä\"}[TOOL_CALLS]g[ARGS]{}", text: "Yes.",
      [["f", "{\"a\": \"ä\"}"], ["g", "{}"]]),
    Case(
      .objects,
      "{\"name\": \"f\", \"parameters\": {\"a\": 1}}; {\"name\": \"g\", \"parameters\": {}}",
      [["f", "{\"a\": 1}"], ["g", "{}"]]),
    Case(
      .objects, "{\"name\": \"Bob\", \"parameters\": {}}",
      text: "{\"name\": \"Bob\", \"parameters\": {}}"),
    Case(.objects, "{\"name\": \"f\", \"age\": 3}", text: "{\"name\": \"f\", \"age\": 3}"),
    Case(.objects, " Text {\"name\": \"f\"}", text: " Text {\"name\": \"f\"}"),
    Case(.objects, "", text: ""),
  ])
  func `Calls and text are found, whatever the pieces are`(_ example: Case) {
    for length in 1...max(1, example.input.count) {
      let found = parts(events(example.form, example.input, by: length))
      #expect(found.text == example.text, "pieces of \(length)")
      #expect(found.calls == example.calls, "pieces of \(length)")
    }
  }

  @Test func `Arguments are passed on while they arrive`() {
    var parser = ToolCallParser(.tags, names: ["f"])
    #expect(
      parser.append("<tool_call>{\"name\": \"f\", \"arguments\": {\"a\"") == [
        .call(name: "f"), .arguments("{\"a\""),
      ])
    #expect(parser.append(": \"long") == [.arguments(": \"long")])
    #expect(parser.append("\"}") == [.arguments("\"}")])
    #expect(parser.append("}</tool_call>") == [])
    #expect(parser.finish() == [])
  }

  @Test func `A marker can be a special token, and further calls are dropped at the maximum`() {
    var parser = ToolCallParser(.list, names: [], maxCount: 1)
    #expect(parser.append("", specialText: "[TOOL_CALLS]") == [])
    let events = parser.append("f{\"a\": 1}") + parser.append("", specialText: "[TOOL_CALLS]")
    #expect(parts(events).calls == [["f", "{\"a\": 1}"]])
    #expect(parser.append("g{\"b\": 1}") == [])
    #expect(parser.append("", specialText: "</s>") == [])
  }

  @Test func `The form follows from the template`() {
    #expect(ToolCallParser.Form { "… <tool_call> …".contains($0) } == .tags)
    #expect(ToolCallParser.Form { "… [TOOL_CALLS] …".contains($0) } == .list)
    #expect(ToolCallParser.Form { _ in false } == .objects)
  }

  @Test(arguments: [
    (ToolCallParser.Form.objects, #"{"a": ""#), (.list, "[TOOL_CALLS]"),
    (.tags, #"<tool_call>{"name": ""#),
  ])
  func `What is held back costs as much for each character`(
    _ form: ToolCallParser.Form, _ start: String
  ) {
    func time(_ count: Int) -> Duration {
      var parser = ToolCallParser(form, names: ["f"])
      _ = parser.append(start)
      let piece = String(repeating: "x", count: 1000)
      return ThreadTime.measure { for _ in 0..<count { _ = parser.append(piece) } }
    }
    _ = time(1)
    // Copying would make the second one sixteen times as long.
    let (short, long) = (time(100), time(400))
    #expect(long < short * 10, "\(short), \(long)")
  }
}
