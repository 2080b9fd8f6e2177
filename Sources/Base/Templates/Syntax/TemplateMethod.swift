/// A method of Python's strings, mappings and lists that templates can call.
enum TemplateMethod: String, CaseIterable, Sendable {
  case capitalize, center, count, endswith, find, get, index, isalnum, isalpha, isdigit, islower
  case isspace, isupper, items, join, keys, ljust, lower, lstrip, partition, removeprefix
  case removesuffix, replace, rfind, rjust, rpartition, rsplit, rstrip, split, splitlines
  case startswith, strip, title, upper, values, zfill
  /// Methods of the variable `loop`.
  case cycle, changed

  /// The methods that change a value, which templates may not do.
  static let mutating: Set<String> = [
    "append", "clear", "extend", "insert", "pop", "popitem", "remove", "setdefault", "sort",
    "update", "reverse",
  ]

  /// The attributes of Python's strings, all of which are methods.
  static let ofText: Set<String> = [
    "capitalize", "casefold", "center", "count", "encode", "endswith", "expandtabs", "find",
    "format", "format_map", "index", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit",
    "isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper",
    "join", "ljust", "lower", "lstrip", "maketrans", "partition", "removeprefix", "removesuffix",
    "replace", "rfind", "rindex", "rjust", "rpartition", "rsplit", "rstrip", "split",
    "splitlines", "startswith", "strip", "swapcase", "title", "translate", "upper", "zfill",
  ]
  /// The attributes of Python's dictionaries.
  static let ofDictionary: Set<String> = [
    "clear", "copy", "fromkeys", "get", "items", "keys", "pop", "popitem", "setdefault", "update",
    "values",
  ]
  /// The attributes of Python's lists.
  static let ofList: Set<String> = [
    "append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove", "reverse",
    "sort",
  ]
  /// The attributes of Python's tuples.
  static let ofTuple: Set<String> = ["count", "index"]
}
