import TensorIOJSON
import TensorIOSystem
import TensorIOTemplates
import Testing

/// Templates that would take too much time, memory or stack.
struct ChatTemplateLimitTests {
  private func isLimit(_ error: TemplateError) -> Bool {
    if case .limitExceeded = error.reason { true } else { false }
  }

  /// Returns beginnings and ends around a text.
  private static func nested(
    _ start: String, _ count: Int, _ end: String = "", last: String = "1"
  ) -> String {
    String(repeating: start, count: count) + last + String(repeating: end, count: count)
  }

  @Test(arguments: [
    // nesting of the parser
    "{{ \(nested("(", 100_000, ")")) }}", "{{ \(nested("[", 100_000, "]")) }}",
    "{{ \(nested("{1:", 60_000, "}")) }}", "{{ \(nested("- ", 90_000)) }}",
    "{{ \(nested("not ", 50_000)) }}", "{{ 1\(nested(" if 1", 10_000, last: "")) }}",
    "{{ \(nested("1 if 1 else (", 15_000, ")")) }}", "{{ \(nested("1 + (", 40_000, ")")) }}",
    "{{ x\(nested(".a", 100_000, last: "")) }}", "{{ x\(nested("|trim", 40_000, last: "")) }}",
    "{{ x\(nested("()", 100_000, last: "")) }}", "{{ x\(nested("[0]", 80_000, last: "")) }}",
    "{{ \(nested("x[", 80_000, "]")) }}", "{{ \(nested("x(", 80_000, ")")) }}",
    "{{ \(nested("1 is eq(", 20_000, ")")) }}", "{% set \(nested("(", 100_000, ")")) = 1 %}",
    nested("{% if 1 %}", 20_000), nested("{% macro f() %}", 15_000),
    // the template
    String(repeating: "x", count: 1 << 18 + 1),
  ])
  func `A template that is nested too deeply or too large is rejected`(template: String) {
    #expect { try ChatTemplate(template) } throws: { error in
      (error as? TemplateError).map(isLimit) ?? false
    }
  }

  @Test(arguments: [
    // depth
    "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "{% macro f() %}{{ caller() }}{% endmacro %}{% macro g() %}{% call f() %}{{ g() }}{% endcall %}{% endmacro %}{{ g() }}",
    "{% set ns = namespace(x=[]) %}{% for i in range(9999) %}{% set ns.x = [ns.x] %}{% endfor %}",
    "{% set ns = namespace(x=[]) %}{% for i in range(9999) %}{% set ns.x = [ns.x] | map('list') %}{% endfor %}",
    "{% set ns = namespace() %}{% set ns.x = ns %}{{ ns }}",
    "{% set ns = namespace() %}{% set ns.x = [ns] %}{{ [ns] | string }}",
    // size of texts and lists
    "{{ 'x' * 1048577 }}", "{{ 'x' * 10 ** 30 }}", "{% set a = [0] * 100001 %}",
    "{% set a = 'x' * 1048576 %}{{ a + 'x' }}", "{% set a = 'x' * 1048576 %}{{ a ~ 'x' }}",
    "{% set a = 'x' * 1048576 %}{{ a | replace('x', 'yy') }}",
    "{% set a = 'x' * 1000000 %}{{ a.replace('', 'y') }}",
    "{{ 'x' | center(2000000) }}", "{{ 'x'.zfill(2000000) }}", "{{ 'x' | indent(2000000) }}",
    "{{ ['x', 'x'] | join('y' * 1048575) }}",
    "{% for i in range(99999) %}{{ 'x' * 11 }}{% endfor %}",
    "{% set a %}{% for i in range(99999) %}{{ 'x' * 11 }}{% endfor %}{% endset %}",
    "{{ ([[0] * 99999] * 9) | string }}", "{{ ([['x' * 9000] * 9999] * 9) | tojson }}",
    "{{ [[[1]]] | tojson(indent=900000) }}", "{% set a = range(100001) %}",
    "{% set ns = namespace(x=[0]) %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "{{ 9 ** 99 }}", "{{ -(-170141183460469231731687303715884105727 - 1) }}",
    "{{ (-170141183460469231731687303715884105727 - 1) // -1 }}",
    // memory that stays in use
    "{% set ns = namespace(x=[]) %}{% for i in range(99999) %}{% set ns.x = ns.x + ['x' * 1000000 ~ i] %}{% endfor %}",
    "{% for i in range(99999) %}{% set a = 'a b ' * 200000 %}{% set b = a.split() %}{% endfor %}",
  ])
  func `A rendering that takes too much is ended`(template: String) throws {
    let parsed = try ChatTemplate(template)
    #expect { try parsed.render([]) } throws: { error in
      (error as? TemplateError).map(isLimit) ?? false
    }
  }

  @Test(arguments: [
    "{% for i in range(99999) %}{% for i in range(99999) %}{% endfor %}{% endfor %}",
    "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}{% endif %}{% endmacro %}{{ f(30) }}",
    "{% set ns = namespace(x=[1]) %}{% for i in range(60) %}{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x == ns.x }}",
    "{% set ns = namespace(x=(1,), y={}) %}{% for i in range(60) %}{% set ns.x = (ns.x, ns.x) %}{% endfor %}{{ ns.x in ns.y }}",
    "{% set s = 'a' * 1000000 %}{% set t = 'a' * 500000 ~ 'b' %}{% for i in range(999) %}{{ t in s }}{% endfor %}",
    "{% set s = 'é' * 500000 %}{% for i in range(99999) %}{{ s[i] }}{% endfor %}",
  ])
  func `A rendering with too many steps is ended`(template: String) throws {
    var limits = TemplateLimits()
    limits.maxSteps = 100_000
    let parsed = try ChatTemplate(template, limits: limits)
    #expect { try parsed.render([]) } throws: { error in
      (error as? TemplateError).map(isLimit) ?? false
    }
  }

  @Test func `Values that are nested too deeply are rejected`() throws {
    var value: JSONValue = 1
    for _ in 0..<1000 { value = [value] }
    let template = try ChatTemplate("{{ x }}")
    #expect { try template.render([.init("x", value)]) } throws: { error in
      (error as? TemplateError).map(isLimit) ?? false
    }
    #expect(try template.render([.init("x", [[[1]]]), .init("y", value)]) == "[[[1]]]")
  }

  @Test func `Chains of objects are released without recursion`() throws {
    let chains = [
      "{% set ns = namespace(x=none) %}{% for i in range(99999) %}{% set ns.x = namespace(x=ns.x) %}{% endfor %}",
      "{% set ns = namespace(f=none) %}{% for i in range(99999) %}{% set old = ns.f %}"
        + "{% macro f() %}{{ old }}{% endmacro %}{% set ns.f = f %}{% endfor %}",
      "{% set ns = namespace() %}{% set ns.x = ns %}{% macro f() %}{{ f }}{% endmacro %}",
    ]
    for chain in chains {
      #expect(try ChatTemplate(chain).render([]) == "")
    }
  }

  @Test func `Limits can be lower`() throws {
    var limits = TemplateLimits()
    limits.maxOutputBytes = 10
    #expect(try ChatTemplate("{{ 'x' * 10 }}", limits: limits).render([]) == "xxxxxxxxxx")
    #expect(throws: TemplateError.self) {
      try ChatTemplate("{{ 'x' * 9 }}xx", limits: limits).render([])
    }
    limits.maxSteps = 100
    #expect(throws: TemplateError.self) {
      try ChatTemplate("{% for i in range(100) %}{% endfor %}", limits: limits).render([])
    }
  }
}
