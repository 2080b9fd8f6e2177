/// The values of the arguments of a call, a filter or a test.
struct TemplateCall {
  var positional: [TemplateValue] = []
  var keywords: [(name: TemplateText, value: TemplateValue)] = []
}
