import TensorIOBundle

/// A copy of a model in which the constants that custom operators read are aligned for LiteRT.
///
/// LiteRT lends a custom operator only memory at a multiple of 64 bytes, and files align constants to 16. The
/// aligned copies are appended to the file, and the offsets of the buffers refer to them.
struct AlignedConstants {
  let bytes: [UInt8]

  /// The alignment of memory that LiteRT lends.
  private static let alignment = 64

  /// Creates the copy; `nil` if all constants of the operators are aligned.
  init?(_ model: ParsedModel, operators: Set<String>) throws(ModelError) {
    let buffers = model.misalignedBuffers(of: operators, alignment: Self.alignment)
    guard !buffers.isEmpty else { return nil }
    do throws(FlatBufferError) {
      let root = try FlatBufferTable(model.bytes, identifier: "TFL3")
      guard let list = try root.vector(4, elementSize: 4) else { throw .outOfBounds }
      var bytes = model.bytes.copy(of: 0..<model.bytes.count)
      for index in buffers.sorted() where index < list.count {
        let buffer = try FlatBufferTable(model.bytes, at: list.start + 4 * index)
        guard let field = buffer.offset(ofField: 0), let data = try buffer.vector(0, elementSize: 1)
        else {
          continue
        }
        // The elements follow a count of four bytes.
        while !(bytes.count + 4).isMultiple(of: Self.alignment) { bytes.append(0) }
        let distance = UInt32(bytes.count - field)
        bytes.replaceSubrange(
          field..<field + 4, with: (0..<4).map { UInt8(truncatingIfNeeded: distance >> (8 * $0)) })
        bytes += model.bytes.copy(of: data.start - 4..<data.byteRange.upperBound)
      }
      self.bytes = bytes
    } catch {
      throw ModelError(.runtime, .modelRejected(detail: "an offset points outside the file"))
    }
  }
}

extension ParsedModel {
  /// Returns the indices of the buffers with constants of the operators that are not aligned.
  fileprivate func misalignedBuffers(of operators: Set<String>, alignment: Int) -> Set<Int> {
    var result: Set<Int> = []
    for graph in subgraphs {
      for entry in graph.operators
      where operators.contains(operatorCodes[entry.operatorCodeIndex].customName) {
        for input in entry.inputs where graph.tensors.indices.contains(input) {
          let index = graph.tensors[input].bufferIndex
          guard buffers.indices.contains(index), !buffers[index].isExternal,
            let range = buffers[index].byteRange, !range.isEmpty,
            !range.lowerBound.isMultiple(of: UInt64(alignment))
          else { continue }
          result.insert(index)
        }
      }
    }
    return result
  }
}
