import Foundation
import Synchronization
import TensorIOCore
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle

/// Random tensors of a head with the detections in them.
private struct HeadCase: Decodable {
  struct Tensors: Decodable {
    /// Float32 numbers as Base64.
    let boxes: String
    let scores, offsets: String?
    /// The class, the score and the edges of each detection, and the corners of a rotated box.
    let detections: [[Double]]
  }

  let side: Int
  let labels: [String]
  let task: String
  let shapes: [String: [Int]]
  let tensors: [Tensors]

  /// The roles, in the order of the model's outputs.
  var roles: [String] { shapes.keys.sorted() }
}

extension HeadCase.Tensors {
  /// Returns the bytes of the outputs with some roles.
  func outputs(_ roles: [String]) throws -> [[UInt8]] {
    let texts = ["boxes": boxes, "scores": scores, "offsets": offsets]
    return try roles.map { role in
      let text = try #require(texts[role] ?? nil)
      return Array(try #require(Data(base64Encoded: text)))
    }
  }
}

/// Raw heads, suppression and clipping agree with NumPy.
@Suite(.ownThreads) struct HeadReferenceTests {
  private static let sideTolerance = 1e-3
  private static let scoreTolerance = 1e-5

  @Test(arguments: Reference.files(of: "heads"))
  func `Detections in 1,000 random tensors match NumPy`(file: Reference) throws {
    let example = try #require(file.cases(HeadCase.self).first)
    let roles = example.roles
    let outputs = roles.map { role in
      let labels = role == "boxes" ? #", "labels": "labels.txt""# : ""
      return
        #"{"name": "\#(role)", "type": "array", "shape": \#(example.shapes[role] ?? []), "role": "\#(role)"\#(labels)}"#
    }
    let bundle = try TestBundle(
      inputs: """
        {"name": "i", "type": "image", "shape": [\(example.side), \(example.side), 3], "format": "RGB"}
        """,
      outputs: outputs.joined(separator: ", "),
      labels: example.labels.joined(separator: "\n") + "\n",
      extra: #""task": \#(example.task)"#)
    let current = Mutex<[[UInt8]]>([])
    let model = try bundle.open(
      FakeModel(
        inputs: [
          TensorInfo(
            name: "i", elementType: .uint8,
            shape: TensorShape([1, example.side, example.side, 3]))
        ],
        outputs: roles.map {
          TensorInfo(
            name: $0, elementType: .float32, shape: TensorShape(example.shapes[$0] ?? []))
        }
      ) { _ in current.withLock { $0 } })
    let image = try ImageBuffer.filled(
      width: example.side, height: example.side, red: 1, green: 2, blue: 3)
    #expect(example.tensors.count == 1000)
    var count = 0
    for tensors in example.tensors {
      let bytes = try tensors.outputs(roles)
      current.withLock { $0 = bytes }
      let found = try model.run(image).detections.all
      let rows = found.map { detection in
        let box = detection.box
        return [
          Double(detection.index), Double(detection.score), box.xmin, box.ymin, box.xmax, box.ymax,
        ] + detection.corners.flatMap { [$0.x, $0.y] }
      }
      #expect(Self.agree(rows, tensors.detections), "\(rows) \(tensors.detections)")
      count += rows.count
    }
    #expect(count > 1000)
  }

  private static func agree(_ found: [[Double]], _ expected: [[Double]]) -> Bool {
    found.map(\.count) == expected.map(\.count)
      && zip(found, expected).allSatisfy { found, expected in
        found[0] == expected[0] && abs(found[1] - expected[1]) < scoreTolerance
          && zip(found, expected).dropFirst(2).allSatisfy { abs($0 - $1) < sideTolerance }
      }
  }
}
