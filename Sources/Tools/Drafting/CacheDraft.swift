import TensorIOBundle
import TensorIOCore
import TensorIOJSON

/// The caches of a decoder, which the names of its inputs and outputs reveal.
struct CacheDraft {
  /// The patterns of the caches; empty for a model without caches.
  let links: [CacheLink]
  /// The inputs and outputs that are neither caches nor attentions.
  let signature: ModelSignature
  /// The outputs with the attention to what an encoder returned, as a pattern; `nil` if there are none.
  let attentions: String?

  /// The names that exporters give caches.
  ///
  /// Shapes do not tell caches apart, because those of all layers are the same.
  private static let usualLinks = [
    CacheLink(output: "present.*", input: "past_key_values.*"),
    CacheLink(output: "present_key_values.*", input: "past_key_values.*"),
    CacheLink(output: "present_*", input: "past_*"),
    CacheLink(output: "kv_cache_*", input: "kv_cache_*"),
  ]

  /// Finds the caches of a model.
  ///
  /// - Parameters:
  ///   - signature: The inputs and outputs of the model.
  ///   - hub: The folder that the model was published in; `nil` for a file alone.
  ///   - encoder: The inputs and outputs of the encoder whose outputs the model reads; `nil` if it reads none.
  init(_ signature: ModelSignature, _ hub: HubFolder?, encoder: ModelSignature? = nil) {
    let outputs = Set(signature.outputs.map(\.layerName))
    let found = ([Self.statedLinks(hub)] + Self.usualLinks.map { [$0] }).first { links in
      let caches = signature.inputs.compactMap { $0.cacheName(in: links) }
      return !caches.isEmpty && caches.allSatisfy(outputs.contains)
    }
    guard let found else {
      (links, self.signature, attentions) = ([], signature, nil)
      return
    }
    let caches = signature.inputs.filter { $0.cacheName(in: found) != nil }
    let names = Set(caches.compactMap { $0.cacheName(in: found) })
    let length = Self.length(of: caches, hub)
    let links =
      Self.encoderLinks(signature, encoder) + Self.constantLinks(signature, found)
      + found.map { CacheLink(output: $0.output, input: $0.input, length: length) }
    self.links = links
    let attention = CacheLink(output: "", input: Self.attentionNames)
    func isAttention(_ tensor: TensorInfo) -> Bool {
      encoder != nil && attention.matches(input: tensor.layerName)
    }
    attentions = signature.outputs.contains(where: isAttention) ? Self.attentionNames : nil
    self.signature = ModelSignature(
      name: signature.name,
      inputs: signature.inputs.filter { $0.cacheName(in: links) == nil },
      placeholders: signature.placeholders,
      outputs: signature.outputs.filter { !names.contains($0.layerName) && !isAttention($0) })
  }

  /// The name of the function in the bundle.
  static let encoderName = "encode"
  private static let attentionNames = "cross_attentions.*"
  private static let statesName = "encoder_hidden_states"
  private static let maskName = "encoder_attention_mask"

  /// Whether a model reads the outputs of an encoder.
  static func readsEncoder(_ signature: ModelSignature) -> Bool {
    signature.inputs.contains { $0.layerName == statesName }
  }

  /// Returns the links from what an encoder returns, and from the mask of its text.
  private static func encoderLinks(
    _ signature: ModelSignature, _ encoder: ModelSignature?
  ) -> [CacheLink] {
    let states = encoder?.outputs.first { $0.shape.dimensions.count == 3 }
    let mask = encoder?.inputs.first { TextLayer.Part(tensorNamed: $0.layerName) == .mask }
    return [(statesName, states), (maskName, mask)].compactMap { name, tensor in
      guard let tensor, signature.inputs.contains(where: { $0.layerName == name }) else {
        return nil
      }
      return CacheLink(output: tensor.layerName, input: name, function: encoderName)
    }
  }

  /// Returns the links of keys and values that a decoder computes once, of what its encoder returns.
  private static func constantLinks(
    _ signature: ModelSignature, _ links: [CacheLink]
  ) -> [CacheLink] {
    links.flatMap { link in
      ["key", "value"].compactMap { part in
        let constant = CacheLink(
          output: "\(link.output).encoder.\(part)", input: "\(link.input).encoder.\(part)",
          isConstant: true)
        return signature.inputs.contains { constant.matches(input: $0.layerName) } ? constant : nil
      }
    }
  }

  /// Returns the links that the folder states; empty if it states none.
  private static func statedLinks(_ hub: HubFolder?) -> [CacheLink] {
    ["key", "value"].compactMap { kind in
      let input = hub?[.runtime, "model", "decoder", "inputs", "past_\(kind)_names"]?.string
      let output = hub?[.runtime, "model", "decoder", "outputs", "present_\(kind)_names"]?.string
      guard let input, let output else { return nil }
      return CacheLink(
        output: output.replacing("%d", with: "*"), input: input.replacing("%d", with: "*"))
    }
  }

  /// Returns the number of tokens that caches of fixed shapes have memory for: what is left of each shape without the batch, the
  /// number of heads and their size; `nil` for caches that grow, and for unknown heads.
  private static func length(of caches: [TensorInfo], _ hub: HubFolder?) -> Int? {
    guard caches.allSatisfy({ !$0.shape.dimensions.dropFirst().contains(nil) }),
      let heads = hub?.size("num_key_value_heads") ?? hub?.size("num_attention_heads"),
      let size = hub?.size("head_dim")
        ?? hub?.size("hidden_size").flatMap({ width in
          hub?.size("num_attention_heads").map { width / max(1, $0) }
        })
    else { return nil }
    let lengths = Set(
      caches.map { cache in
        var rest = cache.shape.dimensions.dropFirst().compactMap(\.self)
        for known in [heads, size] {
          if let index = rest.firstIndex(of: known) { rest.remove(at: index) }
        }
        return rest.count == 1 ? rest[0] : 0
      })
    return lengths.count == 1 ? lengths.first.flatMap { $0 > 0 ? $0 : nil } : nil
  }
}

extension HubFolder {
  /// Returns a size of the architecture.
  fileprivate func size(_ key: String) -> Int? {
    (self[.config, key] ?? self[.config, "text_config", key])?.int
  }
}

extension TensorInfo {
  /// The name that a layer of the tensor has in a model whose layers are matched by name.
  fileprivate var layerName: String { signatureKey ?? name }

  /// Returns the name of the output that this input is a cache of; `nil` if it is none.
  fileprivate func cacheName(in links: [CacheLink]) -> String? {
    links.lazy.compactMap { $0.output(for: layerName) }.first
  }
}
