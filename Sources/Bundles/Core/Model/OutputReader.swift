public import TensorIOBundle

/// The outputs of a run in the memory of the runtime, without copies.
///
/// ``Model/run(_:placeholders:reading:)`` lends it to a closure. The memory belongs to the next run
/// afterward, so neither the reader nor a span can be kept.
public struct OutputReader: ~Copyable {
  private let decoder: OutputDecoder
  private let session: any Session

  init(_ decoder: OutputDecoder, _ session: any Session) {
    self.decoder = decoder
    self.session = session
  }

  /// The names of the outputs, in order.
  public var names: [String] { decoder.layers.map(\.layer.name) }

  /// Calls `body` with the elements of an output in the model's own type, not dequantized.
  ///
  /// - Parameters:
  ///   - name: The name of the output.
  ///   - type: The type of the elements, which has to be the model's. The bytes of Booleans are read
  ///     as `UInt8`.
  ///   - body: Reads the elements, which have the shape of this run.
  /// - Returns: The result of `body`.
  /// - Throws: A ``ModelError`` of the stage `output` if there is no such output or its elements have
  ///   another type, or the error of `body`.
  public func withSpan<Element: TensorElement, Value>(
    of name: String, as type: Element.Type,
    _ body: (Span<Element>, _ shape: [Int]) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let (index, decoder) = try output(name)
    let actual = decoder.tensor.elementType
    // Memory of a runtime may hold bytes other than 0 and 1, which are no values of Bool.
    guard
      actual == Element.elementType && actual != .bool
        || actual == .bool && Element.elementType == .uint8
    else {
      let expected =
        Element.elementType == .bool ? "a type other than Bool" : "\(Element.elementType)"
      throw ModelError(
        .output, .wrongType(expected: expected, actual: "\(actual)"), layer: name)
    }
    return try read(index, decoder) { (memory, shape, count) throws(ModelError) in
      try memory.withElements(of: type, count: count) { (elements) throws(ModelError) in
        try body(elements, shape)
      }
    }
  }

  /// Calls `body` with the memory of an output.
  ///
  /// - Parameters:
  ///   - name: The name of the output.
  ///   - body: Reads the memory, which has the layout of the element type and the shape of this run.
  /// - Returns: The result of `body`.
  /// - Throws: A ``ModelError`` of the stage `output` if there is no such output or it holds strings,
  ///   or the error of `body`.
  public func withBytes<Value>(
    of name: String,
    _ body: (RawSpan, _ elementType: ElementType, _ shape: [Int]) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let (index, decoder) = try output(name)
    let elementType = decoder.tensor.elementType
    guard let size = elementType.byteCount else {
      throw ModelError(
        .output, .wrongType(expected: "a type of fixed size", actual: "\(elementType)"), layer: name
      )
    }
    return try read(index, decoder) { (memory, shape, count) throws(ModelError) in
      try body(memory.extracting(0..<count * size), elementType, shape)
    }
  }

  private func output(_ name: String) throws(ModelError) -> (index: Int, decoder: LayerDecoder) {
    guard let index = decoder.layers.firstIndex(where: { $0.layer.name == name }) else {
      throw ModelError(.output, .unknownOutput(name, known: names))
    }
    return (index, decoder.layers[index])
  }

  /// Calls `body` with the memory of an output, its shape and the number of its elements.
  private func read<Value>(
    _ index: Int, _ decoder: LayerDecoder,
    _ body: (RawSpan, [Int], Int) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    var value: Value?
    try session.read(index) { (memory, shape) throws(ModelError) in
      value = try body(memory, shape, decoder.elementCount(of: shape, in: memory))
    }
    guard let value else {
      throw ModelError(.output, .failed("the runtime did not lend its memory"))
    }
    return value
  }
}

extension Model {
  /// Runs the model on the calling thread and lends the outputs in the memory of the runtime.
  ///
  /// An output is not copied, which saves time if it is large and only a part of it is read:
  ///
  /// ```swift
  /// import TensorIO
  ///
  /// let model = try Model(at: "segmenter.tiobundle")
  /// let image = try ImageBuffer(contentsOf: "street.jpg")
  /// let center = try model.run(image.modelInput) { (outputs) throws(ModelError) in
  ///   try outputs.withSpan(of: "mask", as: UInt8.self) { (mask, _) throws(ModelError) in
  ///     mask[mask.count / 2]
  ///   }
  /// }
  /// ```
  ///
  /// The closure holds the session: other runs wait for it, or use another session of the model. A
  /// run of the same model in the closure throws an error if no session is free.
  ///
  /// - Parameters:
  ///   - input: The values of the inputs.
  ///   - placeholders: Values by placeholder name.
  ///   - body: Reads the outputs.
  /// - Returns: The result of `body`.
  /// - Throws: A ``ModelError`` as ``run(_:placeholders:)-(ModelInput,_)``, or the error of `body`.
  public func run<Value>(
    _ input: ModelInput, placeholders: Placeholders = [:],
    reading body: (borrowing OutputReader) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    guard let pipeline else {
      throw ModelError(.run, .unsupported("reading outputs in place without a runtime"))
    }
    return try pipeline.run(input, placeholders, reading: body)
  }
}

extension InferencePipeline {
  /// Runs the model once, on the calling thread, and calls `body` while the session is held.
  fileprivate func run<Value>(
    _ input: ModelInput, _ given: Placeholders,
    reading body: (borrowing OutputReader) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let values = try singleWindow(of: match(input, given))
    return try sessions.withSession { (session) throws(ModelError) in
      var untimed = Stopwatch.disabled
      _ = try invoke(session, with: values, &untimed)
      let reader = OutputReader(decoder, session)
      return try sessions.lending { () throws(ModelError) in try body(reader) }
    }
  }
}
