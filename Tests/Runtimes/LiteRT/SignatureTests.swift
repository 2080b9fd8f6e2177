import TensorIOBundle
import TensorIOCore
import TensorIOLiteRT
import Testing

@Suite struct SignatureTests {
  @Test func `Inputs and outputs are in the order of the subgraph`() throws {
    let model = try TinyModel(name: "signature-order").load()
    #expect(model.signature.name == "serving_default")
    #expect(model.signature.inputs.map(\.name) == ["graph_b", "graph_a"])
    #expect(model.signature.outputs.map(\.name) == ["graph_total", "graph_difference"])

    let session = try model.makeSession(SessionOptions())
    try session.write([3, 4] as [Float], to: 0)  // b
    try session.write([10, 20] as [Float], to: 1)  // a
    try session.invoke()
    #expect(try session.contents(of: 0, as: Float.self).values == [13, 24])  // a + b
    #expect(try session.contents(of: 1, as: Float.self).values == [7, 16])  // a − b
  }

  @Test func `Outputs that share a tensor all have its values`() throws {
    let model = try TinyModel(name: "shared-tensors").load()
    #expect(model.signature.outputs.map(\.name) == ["y", "y", "x"])
    let session = try model.makeSession(SessionOptions())
    try session.write([1, 2, 3, 4] as [Float])
    try session.invoke()
    #expect(try session.contents(of: 0, as: Float.self).values == [2, 4, 6, 8])
    #expect(try session.contents(of: 1, as: Float.self).values == [2, 4, 6, 8])
    #expect(try session.contents(of: 2, as: Float.self).values == [1, 2, 3, 4])
  }

  @Test func `All signatures are listed, and that of the main subgraph runs`() throws {
    let model = try TinyModel(name: "several-signatures").load()
    #expect(model.signatures.map(\.name) == ["add", "subtract"])
    #expect(model.signatures.map { $0.outputs.map(\.name) } == [["add_y"], ["subtract_y"]])
    #expect(model.signature == model.signatures[0])
    let session = try model.makeSession(SessionOptions())
    try session.write([3, 4] as [Float], to: 0)
    try session.write([1, 1] as [Float], to: 1)
    try session.invoke()
    #expect(try session.contents(as: Float.self).values == [4, 5])
  }

  @Test func `A model without signatures has one synthesized signature`() throws {
    #expect(try TinyModel(name: "scalar").load().signatures.map(\.name) == ["main"])
  }

  @Test func `Outputs without declared shapes have those of the runtime`() throws {
    let model = try TinyModel(name: "detector").load()
    #expect(model.signature.outputs.map(\.shape) == [[1, 4, 4], [1, 4], [1, 4], [1]])
    #expect(model.signatures == [model.signature])
  }

  @Test func `Metadata is returned unchanged, or nil if there is none`() throws {
    let table = try TinyModel(name: "picture-negative").load().metadataBytes
    #expect(table == Array("not a real metadata table".utf8))
    #expect(try TinyModel(name: "scalar").load().metadataBytes == nil)
  }

  @Test func `A tensor index out of range is an error`() throws {
    let session = try TinyModel(name: "scalar").session()
    #expect(throws: ModelError.self) { try session.write([1 as Float], to: 1) }
    #expect(throws: ModelError.self) { try session.write([1 as Float], to: -1) }
    #expect(throws: ModelError.self) { try session.contents(of: 1, as: Float.self) }
  }
}
