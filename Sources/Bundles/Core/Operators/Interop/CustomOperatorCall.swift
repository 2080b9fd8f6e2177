public import TensorIOBundle

/// One computation of a custom operator: its inputs, and the memory of its outputs.
///
/// The memory belongs to the runtime and is borrowed: it can be read and written only during the
/// call.
@safe public struct CustomOperatorCall: ~Copyable {
  /// The memory of a tensor.
  @safe package struct Operand {
    let elementType: ElementType
    let shape: [Int]
    fileprivate let memory: UnsafeMutableRawBufferPointer

    /// Creates an operand with memory that outlives the call.
    @unsafe package init(
      elementType: ElementType, shape: [Int], memory: UnsafeMutableRawBufferPointer
    ) {
      self.elementType = elementType
      self.shape = shape
      unsafe self.memory = memory
    }
  }

  private let inputs: [Operand]
  private let outputs: [Operand]
  private let cancelled: () -> Bool

  /// Creates a call.
  package init(inputs: [Operand], outputs: [Operand], isCancelled: @escaping () -> Bool) {
    self.inputs = inputs
    self.outputs = outputs
    cancelled = isCancelled
  }

  /// The shapes of the inputs.
  public var inputShapes: [[Int]] { inputs.map(\.shape) }

  /// The shapes of the outputs.
  public var outputShapes: [[Int]] { outputs.map(\.shape) }

  /// Whether the result of the run is not needed anymore, because its time limit has passed or it was
  /// canceled.
  ///
  /// An operator that takes long should check this from time to time, and return.
  public var isCancelled: Bool { cancelled() }
}

extension CustomOperatorCall {
  /// Returns a copy of the elements of an input.
  ///
  /// - Parameters:
  ///   - index: The index of the input.
  ///   - type: The type of the elements.
  /// - Returns: The elements, in row-major order.
  /// - Throws: A ``ModelError`` if there is no such input, or its elements have another type.
  public func elements<Element: TensorElement>(
    ofInput index: Int, as type: Element.Type
  ) throws(ModelError) -> [Element] {
    try withInput(index, as: type) { span in
      unsafe span.withUnsafeBufferPointer { unsafe Array($0) }
    }
  }

  /// Calls `body` with the elements of an input, without copying them.
  ///
  /// - Parameters:
  ///   - index: The index of the input.
  ///   - type: The type of the elements.
  ///   - body: Reads the elements, which are in row-major order.
  /// - Returns: The result of `body`.
  /// - Throws: A ``ModelError`` if there is no such input, or its elements have another type, or the
  ///   error of `body`.
  public func withInput<Element: TensorElement, Value>(
    _ index: Int, as type: Element.Type, _ body: (Span<Element>) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let elements = try unsafe Self.elements(inputs, index, as: type, "input")
    return try body(unsafe UnsafeBufferPointer(elements).span)
  }

  /// Calls `body` with the memory of an input.
  ///
  /// - Parameters:
  ///   - index: The index of the input.
  ///   - body: Reads the memory.
  /// - Returns: The result of `body`.
  /// - Throws: A ``ModelError`` if there is no such input, or the error of `body`.
  public func withInputBytes<Value>(
    _ index: Int, _ body: (RawSpan) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    let operand = try Self.operand(inputs, index, "input")
    return try body(unsafe UnsafeRawBufferPointer(operand.memory).bytes)
  }

  /// Sets all elements of an output.
  ///
  /// - Parameters:
  ///   - elements: The elements, in row-major order.
  ///   - index: The index of the output.
  /// - Throws: A ``ModelError`` if there is no such output, or it has elements of another type or
  ///   another number of them.
  public func write<Element: TensorElement>(
    _ elements: [Element], toOutput index: Int
  ) throws(ModelError) {
    let memory = try unsafe Self.elements(outputs, index, as: Element.self, "output")
    guard memory.count == elements.count else {
      throw ModelError(
        .run,
        .failed(
          "output \(index, as: "index") has \(memory.count, as: "memory_count") elements, but \(elements.count, as: "elements_count") were written"
        ))
    }
    _ = unsafe memory.update(fromContentsOf: elements)
  }

  /// Calls `body` with the elements of an output, to be written.
  ///
  /// As with an array, an index outside the span is a programming error that ends the process. Use
  /// ``write(_:toOutput:)`` if the number of elements may be wrong.
  ///
  /// - Parameters:
  ///   - index: The index of the output.
  ///   - type: The type of the elements.
  ///   - body: Writes the elements, which are in row-major order and initially zero.
  /// - Throws: A ``ModelError`` if there is no such output, or its elements have another type, or the
  ///   error of `body`.
  public func withOutput<Element: TensorElement>(
    _ index: Int, as type: Element.Type,
    _ body: (inout MutableSpan<Element>) throws(ModelError) -> Void
  ) throws(ModelError) {
    let elements = try unsafe Self.elements(outputs, index, as: type, "output")
    var span = unsafe elements.mutableSpan
    try body(&span)
  }

  /// Calls `body` with the memory of an output, to be written.
  ///
  /// - Parameters:
  ///   - index: The index of the output.
  ///   - body: Writes the memory, which is initially zero.
  /// - Throws: A ``ModelError`` if there is no such output, or the error of `body`.
  public func withOutputBytes(
    _ index: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
  ) throws(ModelError) {
    let operand = try Self.operand(outputs, index, "output")
    var span = unsafe operand.memory.mutableBytes
    try body(&span)
  }

  private static func operand(
    _ operands: [Operand], _ index: Int, _ side: String
  ) throws(ModelError) -> Operand {
    guard operands.indices.contains(index) else {
      throw ModelError(
        .run,
        .failed(
          "\(side, as: "side") \(index, as: "index") does not exist; there are \(operands.count, as: "operands_count")"
        ))
    }
    return operands[index]
  }

  private static func elements<Element: TensorElement>(
    _ operands: [Operand], _ index: Int, as type: Element.Type, _ side: String
  ) throws(ModelError) -> UnsafeMutableBufferPointer<Element> {
    let operand = try operand(operands, index, side)
    guard operand.elementType == Element.elementType else {
      throw ModelError(
        .run,
        .failed(
          "\(side, as: "side") \(index, as: "index") has \(operand.elementType, as: "element_type") elements, not \(Element.elementType)"
        ))
    }
    return unsafe operand.memory.bindMemory(to: type)
  }
}
