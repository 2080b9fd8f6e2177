internal import TensorIOCore

extension Isolation.Level: FrameValue {}

extension WorkerOrders: FrameValue {
  package func write(to frame: inout FrameWriter) {
    frame.write(
      backend, library, trustsGraphs, memoryLimit, processorSeconds, level, folder)
  }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    self.init(
      backend: try frame.read(), library: try frame.read(), trustsGraphs: try frame.read(),
      memoryLimit: try frame.readCount(), processorSeconds: try frame.readCount(),
      level: try frame.read(), folder: try frame.read())
  }
}

extension LoadOrders: FrameValue {
  package func write(to frame: inout FrameWriter) { frame.write(path, name, byteCount, use) }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    self.init(
      path: try frame.read(), name: try frame.read(), byteCount: try frame.read(),
      use: try frame.read())
    guard (byteCount ?? 0) >= 0 else { throw .impossible("a negative length") }
  }
}

extension Range<Int>: FrameValue {
  package func write(to frame: inout FrameWriter) { frame.write(lowerBound, upperBound) }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    let (start, end): (Int, Int) = (try frame.read(), try frame.read())
    guard 0 <= start, start <= end else { throw .impossible("a range from \(start) to \(end)") }
    self = start..<end
  }
}

extension Feed: FrameValue {
  package func write(to frame: inout FrameWriter) {
    switch self {
    case .bytes(let input, let range): frame.write(false, input, range)
    case .texts(let input, let texts): frame.write(true, input, texts)
    }
  }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    let isText: Bool = try frame.read()
    let input = try frame.readCount()
    self =
      isText
      ? .texts(input: input, try frame.read()) : .bytes(input: input, try frame.read())
  }
}

extension ModelFacts: FrameValue {
  package func write(to frame: inout FrameWriter) { frame.write(signature, signatures, warnings) }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    self.init(
      signature: try frame.read(), signatures: try frame.read(), warnings: try frame.read())
  }
}

extension OutputPlace: FrameValue {
  package func write(to frame: inout FrameWriter) { frame.write(shape, range) }

  package init(from frame: inout FrameReader) throws(FrameFault) {
    self.init(shape: try frame.read(), range: try frame.read())
  }
}

extension FrameReader {
  /// A number that counts something.
  mutating func readCount() throws(FrameFault) -> Int {
    let count = try read(Int.self)
    guard count >= 0 else { throw .impossible("a count of \(count)") }
    return count
  }
}
