/// A filter of Jinja that templates can use.
enum TemplateFilter: String, CaseIterable, Sendable {
  case abs, batch, capitalize, center, `default`, dictsort, escape, first, float, groupby, indent
  case int, items, join, last, length, list, lower, map, max, min, reject, rejectattr, replace
  case reverse, round, safe, select, selectattr, sort, string, sum, title, tojson, trim, unique
  case upper, wordcount

  /// Creates the filter with a name or a short name.
  init?(_ name: String) {
    switch name {
    case "d": self = .default
    case "e": self = .escape
    case "count": self = .length
    default: self.init(rawValue: name)
    }
  }
}
