import Foundation
import Synchronization
import TensorIOCore
import TensorIOImage
import TensorIOTasks
import TensorIOTestSupport
import Testing

@testable import TensorIOBundle

/// Random tensors of a format with the poses in them.
private struct PoseCase: Decodable {
  struct Tensor: Decodable {
    /// Float32 numbers as Base64.
    let keypoints: String
    /// The score, the edges, and x, y and the score of each keypoint.
    let poses: [[Double]]
  }

  let side: Int
  let task: String
  let shape: [Int]
  let tensors: [Tensor]
}

/// Raw poses of YOLO models agree with NumPy.
@Suite(.ownThreads) struct PoseReferenceTests {
  private static let tolerance = 1e-3

  @Test(arguments: Reference.files(of: "poses"))
  func `Poses in 1,000 random tensors match NumPy`(file: Reference) throws {
    let example = try #require(file.cases(PoseCase.self).first)
    let bundle = try TestBundle(
      inputs: """
        {"name": "i", "type": "image", "shape": [\(example.side), \(example.side), 3], "format": "RGB"}
        """,
      outputs: #"{"name": "k", "type": "array", "shape": \#(example.shape), "role": "keypoints"}"#,
      extra: #""task": \#(example.task)"#)
    let current = Mutex<[UInt8]>([])
    let model = try bundle.open(
      FakeModel(
        inputs: [
          TensorInfo(
            name: "i", elementType: .uint8,
            shape: TensorShape([1, example.side, example.side, 3]))
        ],
        outputs: [
          TensorInfo(name: "k", elementType: .float32, shape: TensorShape(example.shape))
        ]
      ) { _ in [current.withLock { $0 }] })
    let image = try ImageBuffer.filled(
      width: example.side, height: example.side, red: 1, green: 2, blue: 3)
    #expect(example.tensors.count == 1000)
    var count = 0
    for tensor in example.tensors {
      let bytes = Array(try #require(Data(base64Encoded: tensor.keypoints)))
      current.withLock { $0 = bytes }
      let rows = try model.run(image).poses.map { pose in
        let box = try #require(pose.box)
        return [Double(pose.score), box.xmin, box.ymin, box.xmax, box.ymax]
          + pose.keypoints.flatMap { [$0.x, $0.y, Double($0.score)] }
      }
      #expect(rows.map(\.count) == tensor.poses.map(\.count))
      let pairs = zip(rows.joined(), tensor.poses.joined())
      #expect(pairs.allSatisfy { abs($0 - $1) < Self.tolerance }, "\(rows) \(tensor.poses)")
      count += rows.count
    }
    #expect(count > 1000)
  }
}
