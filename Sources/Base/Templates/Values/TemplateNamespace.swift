/// A value whose attributes a template can set, also from within loops.
final class TemplateNamespace {
  var attributes = TemplateDictionary()
}
