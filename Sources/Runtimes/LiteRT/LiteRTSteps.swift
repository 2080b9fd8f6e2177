import TensorIOBundle
import TensorIOCore

/// The signatures of a model that is run step by step: `decode`, which takes one token, and `prefill_N`, which takes N.
struct LiteRTSteps: Sendable {
  /// A signature, whose caches come after all other inputs and outputs.
  struct Signature: Sendable {
    let entryPoint: EntryPoint
    /// The number of tokens that a run takes.
    let tokenCount: Int
    /// The position of the scores of all tokens among the outputs; `nil` if there are none.
    let scores: Int?
    /// The number of inputs, and of outputs, that are no caches.
    let inputCount: Int
    let outputCount: Int
  }

  /// A run of a signature.
  struct Run: Sendable, Equatable {
    /// The position of the signature in ``LiteRTSteps/signatures``.
    let signature: Int
    /// The number of tokens, at most as many as the signature takes.
    let count: Int
  }

  /// `decode`, followed by the others, of which the shortest comes first.
  let signatures: [Signature]
  let layers: StepLayers
  /// The maximum number of tokens.
  let capacity: Int
  let vocabularySize: Int
  /// The size of all caches of a sequence.
  let byteCount: Int
  /// The tensors of `decode` that have layers.
  let signature: ModelSignature

  /// Finds the signatures, and checks their tensors.
  ///
  /// - Throws: `ModelError` if the model does not have the signatures or the tensors of the description, or the length of the
  ///   caches is not known.
  init(_ entryPoints: [EntryPoint], _ use: ModelBinding) throws(ModelError) {
    layers = try StepLayers(use)
    var decode: EntryPoint?
    var prefills: [EntryPoint] = []
    for entryPoint in entryPoints {
      switch try Self.kind(of: entryPoint.name) {
      case .decode: decode = entryPoint
      case .prefill: prefills.append(entryPoint)
      case nil: break
      }
    }
    guard let decode else {
      let names = entryPoints.map(\.name).joined(separator: ", ")
      throw ModelError(
        .bundle,
        .unmetRequirement("caches require the signature 'decode', and the model has \(names)"))
    }
    try decode.requireTensors(use)
    let caches = try use.caches.caches(among: decode.inputs.map(\.key))
    var signatures: [Signature] = []
    for entryPoint in [decode] + prefills {
      signatures.append(try Signature(entryPoint, use, layers, caches))
    }
    let sorted = signatures.dropFirst().sorted { $0.tokenCount < $1.tokenCount }
    let first = signatures[0]
    guard first.tokenCount == 1, let vocabularySize = first.scoreCount, vocabularySize > 1 else {
      throw StepLayers.withoutScores
    }
    guard layers.positions != nil else { throw StepLayers.withoutPositions }
    guard layers.continuation == nil else {
      throw ModelError(.bundle, .unsupported("an input with the part 'continuation' in LiteRT"))
    }
    guard !use.caches.contains(where: { $0.function != nil || $0.isConstant }) else {
      throw ModelError(.bundle, .unsupported("caches of another function in LiteRT"))
    }
    self.signatures = [first] + sorted
    self.vocabularySize = vocabularySize
    capacity = try Self.capacity(self.signatures, use, layers)
    for signature in self.signatures {
      try signature.requireShapes(of: first, layers, capacity: capacity)
    }
    var byteCount = 0
    for cache in first.caches {
      byteCount += try cache.info.elementType.validatedByteCount(
        cache.info.shape, named: cache.key)
    }
    self.byteCount = byteCount
    signature = ModelSignature(
      name: decode.name, inputs: first.entryPoint.inputs.prefix(use.inputs.count).map(\.info),
      outputs: first.entryPoint.outputs.prefix(use.outputs.count).map(\.info))
  }

  /// The name of the input that takes the tokens.
  var tokensName: String { signatures[0].entryPoint.inputs[layers.tokens].key }

  private enum Kind { case decode, prefill }

  /// Returns what a signature is for, by its name; `nil` if it is no step.
  private static func kind(of name: String) throws(ModelError) -> Kind? {
    if name == "decode" { return .decode }
    guard name.hasPrefix("prefill") || name.hasPrefix("decode_") else { return nil }
    let rest = name.dropFirst("prefill".count)
    if name.hasPrefix("prefill"), rest.isEmpty || rest.first == "_" && Int(rest.dropFirst()) != nil
    {
      return .prefill
    }
    throw ModelError(
      .runtime,
      .unsupported(
        "the signature '\(name)'; convert the model with the signatures 'decode' and 'prefill_N' only, so that all caches have one length,"
      ))
  }

  /// Returns the number of tokens that the caches have memory for: the length of the mask, the declared one, or the only
  /// dimension that can be it.
  private static func capacity(
    _ signatures: [Signature], _ use: ModelBinding, _ layers: StepLayers
  ) throws(ModelError) -> Int {
    let decode = signatures[0]
    // The first axis is the batch.
    let caches = decode.caches.map { $0.info.shape.dimensions.dropFirst().compactMap(\.self) }
    let masked = layers.mask.map { decode.entryPoint.inputs[$0].info.shape.dimensions.last ?? nil }
    let lengths = Set(use.caches.compactMap(\.length) + [masked ?? nil].compactMap(\.self))
    let common = Set(caches.first ?? []).filter { length in
      caches.allSatisfy { $0.contains(length) }
    }
    let isFitting = { (length: Int) in length >= signatures.last?.tokenCount ?? 1 }
    let candidates = lengths.isEmpty ? common.filter(isFitting) : common.intersection(lengths)
    if let length = candidates.first, candidates.count == 1, lengths.count <= 1 { return length }
    let shapes = decode.caches.prefix(2).map { "\($0.info.shape)" }.joined(separator: " and ")
    guard lengths.isEmpty else {
      let names = lengths.sorted().map(String.init).joined(separator: " and ")
      throw ModelError(
        .bundle,
        .unmetRequirement(
          "the length of the caches is \(names), and they have the shapes \(shapes)"))
    }
    throw ModelError(
      .bundle,
      .unmetRequirement(
        "the shapes \(shapes) of the caches do not show for how many tokens they have memory; set \"length\" in \"caches\""
      ))
  }

  /// Returns the runs for tokens that follow others.
  ///
  /// The longest signature that fits is repeated, and the shortest that is long enough takes the rest, with padding. No padding
  /// reaches past the end of the caches, where LiteRT would write over other tokens. The last token goes through `decode`
  /// unless the others have scores too.
  func runs(for tokenCount: Int, after count: Int) -> [Run] {
    let last = signatures.dropFirst().allSatisfy { $0.scores != nil } ? 0 : 1
    var runs: [Run] = []
    var (rest, position) = (tokenCount, count)
    while rest > 0 {
      let remaining = max(1, rest - last)
      var signature = 0
      if remaining > 1 {
        let fitting = signatures.indices.dropFirst().filter {
          signatures[$0].tokenCount <= capacity - position
        }
        let covering = fitting.first { signatures[$0].tokenCount >= remaining }
        signature = covering ?? fitting.last ?? 0
      }
      let run = Run(signature: signature, count: min(remaining, signatures[signature].tokenCount))
      runs.append(run)
      rest -= run.count
      position += run.count
    }
    return runs
  }
}

extension LiteRTSteps.Signature {
  /// Arranges the tensors, and checks those that steps write and read.
  fileprivate init(
    _ entryPoint: EntryPoint, _ use: ModelBinding, _ layers: StepLayers,
    _ caches: [[CacheLink].Cache]
  ) throws(ModelError) {
    let inputs = use.inputs.map(\.name)
    let others = entryPoint.outputs.map(\.key).filter { key in
      !caches.contains { $0.output == key } && !use.outputs.contains { $0.name == key }
    }
    let outputs = use.outputs.map(\.name).filter { name in
      entryPoint.outputs.contains { $0.key == name }
    }
    let arranged = entryPoint.arranged(
      inputs: inputs + caches.map(\.input), outputs: outputs + others + caches.map(\.output))
    guard let arranged, arranged.inputs.count == inputs.count + caches.count else {
      throw ModelError(
        .bundle,
        .unmetRequirement(
          "the signature '\(entryPoint.name)' does not have the inputs and caches of the bundle: it has the inputs "
            + "\(entryPoint.inputs.map(\.key).joined(separator: ", ")) and the outputs "
            + "\(entryPoint.outputs.map(\.key).joined(separator: ", "))"))
    }
    guard arranged.hasFixedShapes, !arranged.isSpecialized else {
      throw ModelError(
        .runtime, .unsupported("the signature '\(entryPoint.name)' with caches and free dimensions")
      )
    }
    self.entryPoint = arranged
    (inputCount, outputCount) = (inputs.count, outputs.count + others.count)
    tokenCount = arranged.inputs[layers.tokens].info.shape.elementCount ?? 0
    let name = use.outputs[layers.scores].name
    // Scores of the last row only are those of the padding.
    scores = outputs.firstIndex(of: name).flatMap { [tokenCount] index in
      let info = arranged.outputs[index].info
      let rows = info.shape.dimensions.dropLast().compactMap(\.self).checkedProduct
      return info.elementType == .float32 && rows == tokenCount ? index : nil
    }
    try requireTypes(layers)
  }

  /// The caches, as inputs.
  var caches: ArraySlice<EntryPoint.TensorBinding> { entryPoint.inputs.dropFirst(inputCount) }

  /// The number of scores of a token; `nil` if there are none.
  var scoreCount: Int? {
    scores.flatMap { entryPoint.outputs[$0].info.shape.dimensions.last ?? nil }
  }

  private func requireTypes(_ layers: StepLayers) throws(ModelError) {
    let masks: [ElementType] = [.float32, .float16, .bool]
    for (layer, types) in [
      (layers.tokens, [.int32]), (layers.positions, [.int32]), (layers.mask, masks),
    ] {
      guard let layer else { continue }
      let tensor = entryPoint.inputs[layer]
      guard types.contains(tensor.info.elementType) else {
        throw ModelError(
          .runtime,
          .unsupported(
            "the type \(tensor.info.elementType) of the input '\(tensor.key)' of a model with caches"
          )
        )
      }
    }
  }

  /// Throws an error unless the tensors have the shapes that steps write and read, and the caches those of another signature.
  fileprivate func requireShapes(
    of other: Self, _ layers: StepLayers, capacity: Int
  ) throws(ModelError) {
    for (layer, count) in [
      (layers.tokens, tokenCount), (layers.positions, tokenCount),
      (layers.mask, tokenCount * capacity),
    ] {
      guard let layer else { continue }
      let tensor = entryPoint.inputs[layer]
      guard count > 0, tensor.info.shape.elementCount == count else {
        throw ModelError(
          .bundle, .wrongShape(expected: "\(count) elements", actual: "\(tensor.info.shape)"),
          layer: tensor.key)
      }
    }
    let outputs = entryPoint.outputs.dropFirst(outputCount)
    for (cache, tensors) in zip(other.caches, zip(caches, outputs)) {
      for tensor in [tensors.0, tensors.1] {
        guard tensor.info.shape == cache.info.shape,
          tensor.info.elementType == cache.info.elementType
        else {
          throw ModelError(
            .runtime,
            .unsupported(
              "the cache '\(tensor.key)' of the signature '\(entryPoint.name)', whose shape or type is not that of "
                + "'\(cache.key)' of '\(other.entryPoint.name)',"))
        }
      }
    }
    guard scoreCount == nil || scoreCount == other.scoreCount else {
      throw StepLayers.withoutScores
    }
  }
}
