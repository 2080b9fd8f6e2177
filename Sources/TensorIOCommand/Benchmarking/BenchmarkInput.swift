internal import TensorIO
internal import TensorIOCore
internal import TensorIOEvaluation

/// What a model is run on while it is measured.
struct BenchmarkInput {
  let value: ModelInput
  /// What it is; empty where it is nothing that means anything.
  let name: String
  /// What there is to say of it.
  let remark: String?

  /// What the words name, or else the bundle's own first example or sample, or else nothing that
  /// means anything.
  init(_ words: [String], of bundle: ModelBundle, _ console: Console) throws(CommandFailure) {
    let layers = bundle.description.askedInputs
    let reader = ItemReader(layers, placeholders: bundle.description.placeholders, console)
    let own = words.isEmpty
    let list = own ? try BundleSamples(bundle).first(reader) : try reader.items(words)
    do throws(ModelError) {
      guard let items = list?.items else {
        value = try .blank(for: layers)
        (name, remark) = ("", Self.blankRemark(of: layers))
        return
      }
      guard items.count == 1, let item = items.first else {
        throw ModelError(
          .input, .wrongType(expected: "one input", actual: "\(items.count) of them"))
      }
      value = try item.read()
      (name, remark) = (item.name, own ? "the bundle's own" : nil)
    } catch {
      throw CommandFailure(error)
    }
  }

  private static func blankRemark(of layers: [Layer]) -> String {
    let kinds = [
      layers.contains(where: \.isPicture) ? "a gray picture" : nil,
      layers.contains { !$0.isPicture } ? "zeros" : nil,
    ]
    return kinds.compactMap(\.self).joined(separator: " and ")
      + ", since there is neither an input nor a sample"
  }

  /// The input as people read of it.
  var text: String {
    [name, remark ?? ""].filter { !$0.isEmpty }.joined(separator: ", ")
  }
}
