import TensorIOJSON
import TensorIOSystem
import TensorIOTemplates
import Testing

/// The reasons and positions of errors, and what is not supported.
struct ChatTemplateErrorTests {
  @Test(arguments: [
    ("a\n  {% include 'x' %}", 2, 6), ("{{ x | pprint }}", 1, 8), ("{{ x is escaped }}", 1, 9),
    ("{{ x.format(1) }}", 1, 5), ("{% for a in b recursive %}{% endfor %}", 1, 15),
    ("\r\n{{ f(*x) }}", 2, 6), ("{% do x %}", 1, 4), ("{{ x[1, 2] }}", 1, 7),
    ("{{ '\\N{DASH}' }}", 1, 5),
  ])
  func `What is not supported is an error of parsing`(template: String, line: Int, column: Int) {
    #expect { try ChatTemplate(template) } throws: { error in
      guard let error = error as? TemplateError, case .unsupported = error.reason else {
        return false
      }
      return error.position.line == line && error.position.column == column
    }
  }

  @Test(arguments: [
    ("{{ 1 +", 1, 1), ("{% if x %}", 1, 4), ("{{ 'x }}", 1, 4), ("{# x", 1, 1), ("{{ (1] }}", 1, 6),
    ("a\nb {{ 1 2 }}", 2, 8), ("{% endfor %}", 1, 4), ("{% break %}", 1, 4), ("{{ ) }}", 1, 4),
    ("{% for x in y %}{% macro f() %}{% continue %}{% endmacro %}{% endfor %}", 1, 35),
    ("{% raw %}", 1, 1), ("{% set 1 = 2 %}", 1, 8), ("{{ f(a=1, 2) }}", 1, 11), ("{{ $ }}", 1, 4),
    ("{{ '\\xg0' }}", 1, 5), ("{{ '\\ud800' }}", 1, 5), ("{{ f(a=1, a=2) }}", 1, 11),
    ("{% macro f(a=1, b) %}{% endmacro %}", 1, 17), ("{% macro f(a, a) %}{% endmacro %}", 1, 15),
    ("{{ 170141183460469231731687303715884105728 }}", 1, 4), ("{% %}", 1, 4), ("{{ }}", 1, 4),
    ("{% call x %}{% endcall %}", 1, 4), ("{% set true = 1 %}", 1, 8), ("{{ x[] }}", 1, 5),
  ])
  func `A mistake is an error of parsing`(template: String, line: Int, column: Int) {
    #expect { try ChatTemplate(template) } throws: { error in
      guard let error = error as? TemplateError, case .syntax = error.reason else { return false }
      return error.position.line == line && error.position.column == column
    }
  }

  @Test(arguments: [
    ("{{ 'a' +\n 1 }}", "'+' does not apply to a string and an integer"),
    ("{{ missing.x }}", "'missing' is undefined"),
    ("{{ x.append(1) }}", "'append' changes a value, which a template cannot do"),
    ("{{ 1 // 0 }}", "division by zero"), ("{{ {[]: 1} }}", "a list cannot be a key"),
    ("{{ x | tojson(1, 2, 3, 4, 5) }}", "expected at most 4 arguments, found 5"),
    ("{{ 1() }}", "an integer cannot be called"), ("{{ range }}", "a function cannot be printed"),
    ("{% set a, b = [1] %}", "expected 2 values to assign, found 1"),
    ("{% set x.y = 1 %}", "only attributes of a namespace can be set"),
    ("{% macro f(a) %}{% endmacro %}{{ f(1, 2) }}", "the macro 'f' takes at most 1 arguments"),
    ("{% macro f(a) %}{% endmacro %}{{ f(b=2) }}", "the macro 'f' has no parameter 'b'"),
  ])
  func `A failed operation has a message`(template: String, message: String) throws {
    let parsed = try ChatTemplate(template)
    #expect { try parsed.render([.init("x", [1])]) } throws: { error in
      guard let error = error as? TemplateError else { return false }
      return error.reason == .invalidOperation(message: message)
        && error.description.hasSuffix(message)
    }
  }

  @Test func `A template rejects messages`() throws {
    let template = try ChatTemplate("\n{{ raise_exception('no ' ~ x) }}")
    do {
      _ = try template.render([.init("x", "tools")])
      Issue.record("the template does not reject")
    } catch {
      #expect(error.reason == .raised(message: "no tools"))
      #expect(error.description == "line 2, column 19: the template rejects the messages: no tools")
    }
  }

  @Test func `The time is that of the caller`() throws {
    let template = try ChatTemplate(
      "{{ strftime_now('%A %a %B %b %d %-d %Y %y %m %H:%I:%M:%S %p %j %f %F %T %R %%') }}")
    // 2027-03-14 15:09:26.535
    let time = UTCTimestamp(unixNanoseconds: 1_805_036_966_535_000_000)
    #expect(
      try template.render([], at: time)
        == "Sunday Sun March Mar 14 14 2027 27 03 15:03:09:26 PM 073 535000 2027-03-14 15:09:26 15:09 %"
    )
    #expect(throws: TemplateError.self) {
      try ChatTemplate("{{ strftime_now('%Q') }}").render([])
    }
  }

  @Test func `Texts are compared by scalars`() throws {
    let template = try ChatTemplate("{{ a == b }}{{ a | length }}{{ b | length }}{{ d[a] }}")
    let text = try template.render([
      .init("a", "\u{E9}"), .init("b", "e\u{301}"), .init("d", ["\u{E9}": 1, "e\u{301}": 2]),
    ])
    #expect(text == "False121")
  }

  @Test func `The last of equal variables counts, and a variable hides a function`() throws {
    let template = try ChatTemplate("{{ a }}{{ range }}")
    #expect(
      try template.render([.init("a", 1), .init("a", 2), .init("range", 3)]) == "23")
  }
}
