internal import TensorIOCore
internal import TensorIOIsolation

/// The outputs of a run on their way into shared memory.
struct Parcel {
  private let shapes: [TensorShape]
  /// The outputs of texts, packed; no others.
  private let texts: [Int: [UInt8]]
  /// Where they will lie.
  let plan: ArenaPlan

  /// Measures what a session has computed.
  init(_ session: any Session, _ outputs: [TensorInfo]) throws(ModelError) {
    var (shapes, texts, byteCounts): ([TensorShape], [Int: [UInt8]], [Int]) = ([], [:], [])
    for (index, output) in outputs.enumerated() {
      if output.elementType == .string {
        let (packed, count) = try session.packedTexts(index)
        texts[index] = packed
        // How texts are laid out, sessions do not tell; how many there are, they do.
        shapes.append(TensorShape(signed: [count]))
        byteCounts.append(packed.count)
      } else {
        try session.read(index) { (span, shape) throws(ModelError) in
          shapes.append(TensorShape(signed: shape))
          byteCounts.append(span.byteCount)
        }
      }
    }
    guard let plan = ArenaPlan(byteCounts) else {
      throw ModelError(.output, .unsupported("outputs of more than \(ArenaPlan.limit) bytes"))
    }
    (self.shapes, self.texts, self.plan) = (shapes, texts, plan)
  }

  /// Puts everything into its place.
  func put(into memory: SharedMemory, from session: any Session) throws(ModelError) -> [OutputPlace]
  {
    for (index, range) in plan.ranges.enumerated() {
      if let packed = texts[index] {
        memory.put(packed, into: range)
      } else {
        try session.read(index) { (span, _) throws(ModelError) in memory.put(span, into: range) }
      }
    }
    return zip(shapes, plan.ranges).map { OutputPlace(shape: $0, range: $1) }
  }
}

extension Session {
  fileprivate func packedTexts(_ output: Int) throws(ModelError) -> (bytes: [UInt8], count: Int) {
    let texts = try readStrings(output)
    var writer = FrameWriter()
    writer.append(texts)
    return (writer.bytes, texts.count)
  }
}
