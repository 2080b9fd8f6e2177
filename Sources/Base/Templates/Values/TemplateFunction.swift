/// A function that every template can call.
enum TemplateFunction: String, CaseIterable {
  case range, dict, namespace
  case raise = "raise_exception"
  case timeNow = "strftime_now"
  /// Functions whose results cannot be used.
  case joiner, cycler, lipsum
}
