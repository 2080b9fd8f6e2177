import TensorIOBundle
import TensorIOCore

/// The operator `PosenetDecoderOp` of PoseNet and BodyPix models for the Edge TPU: finds poses in the
/// outputs of the network.
///
/// Its inputs are heat maps, short offsets and mid offsets, whose meaning ``PersonLabDecoder``
/// describes. Its outputs are the keypoints of each pose (y, x in pixels), their probabilities, the
/// scores of the poses, and the number of poses. BodyPix has long offsets as well and, for each pose,
/// a mask of the cells that are closer to it than to any other pose (``PersonAssignment``).
struct PosenetDecoder: CustomOperator {
  static let name = "PosenetDecoderOp"

  /// The limit of `max_detections`, which determines the size of the outputs.
  private static let maxPoses = 1000

  private let decoder: PersonLabDecoder
  private let inputs: [TensorInfo]

  init(_ node: CustomOperatorNode) throws(ModelError) {
    guard (3...4).contains(node.inputs.count), node.outputs.count == node.inputs.count + 1 else {
      throw ModelError(
        .runtime,
        .unsupported("\(node.inputs.count) inputs and \(node.outputs.count) outputs"))
    }
    guard node.outputs.allSatisfy({ $0.elementType == .float32 }) else {
      throw ModelError(.runtime, .unsupported("quantized poses"))
    }
    inputs = node.inputs
    decoder = try Self.decoder(try node.flexOptions())
  }

  private static func decoder(_ options: FlexBufferValue) throws(ModelError) -> PersonLabDecoder {
    var decoder = PersonLabDecoder()
    if let count = options["max_detections"]?.integer { decoder.maxPoses = count }
    if let radius = options["nms_radius"]?.double { decoder.nmsRadius = Float(radius) }
    if let score = options["score_threshold"]?.double { decoder.scoreThreshold = Float(score) }
    decoder.poseThreshold = decoder.scoreThreshold
    if let stride = options["stride"]?.double { decoder.stride = Float(stride) }
    guard (1...maxPoses).contains(decoder.maxPoses), decoder.stride.isFinite, decoder.stride > 0,
      decoder.nmsRadius.isFinite, decoder.nmsRadius >= 0, !decoder.scoreThreshold.isNaN
    else {
      throw ModelError(.runtime, .modelRejected(detail: "its options are out of range"))
    }
    return decoder
  }

  func outputShapes(forInputs shapes: [[Int]]) throws(ModelError) -> [[Int]] {
    let cells = shapes.map { Array($0.dropLast()) }
    guard shapes.allSatisfy({ $0.count == 4 && $0[0] == 1 && !$0.contains(0) }),
      cells.allSatisfy({ $0 == cells[0] }),
      shapes.map({ $0[3] }) == Array([17, 34, 64, 34].prefix(inputs.count))
    else { throw ModelError(.runtime, .unsupported("inputs of the shapes \(shapes)")) }
    let count = decoder.maxPoses
    let outputs = [
      [1, count, 17, 2], [1, count, 17], [1, count], [1], [1, count] + cells[0][1...],
    ]
    return Array(outputs.prefix(inputs.count + 1))
  }

  func run(_ call: borrowing CustomOperatorCall) throws(ModelError) {
    let shape = call.inputShapes[0]
    guard
      let features = PersonLabDecoder.Features(
        height: shape[1], width: shape[2], heatmaps: try numbers(call, 0),
        shortOffsets: try numbers(call, 1), midOffsets: try numbers(call, 2))
    else { throw ModelError(.run, .failed("the sizes of the inputs do not match")) }
    let poses = decoder.poses(in: features)
    let missing = decoder.maxPoses - poses.count
    let keypoints = poses.flatMap { pose in
      pose.points.flatMap { [$0.y * decoder.stride, $0.x * decoder.stride] }
    }
    let padding = { (count: Int) in [Float](repeating: 0, count: missing * count) }
    let count = PersonLabDecoder.keypointCount
    try call.write(keypoints + padding(2 * count), toOutput: 0)
    try call.write(poses.flatMap(\.scores) + padding(count), toOutput: 1)
    try call.write(poses.map(\.score) + padding(1), toOutput: 2)
    try call.write([Float(poses.count)], toOutput: 3)
    if inputs.count == 4 { try writeMasks(of: poses, to: call) }
  }

  private func writeMasks(
    of poses: [PersonLabDecoder.Pose], to call: borrowing CustomOperatorCall
  ) throws(ModelError) {
    let (height, width) = (call.inputShapes[3][1], call.inputShapes[3][2])
    let stride = Double(decoder.stride)
    let assignment = PersonAssignment(
      height: height, width: width, keypointCount: PersonLabDecoder.keypointCount,
      offsets: try numbers(call, 3), strides: (stride, stride))
    var masks = [Float](repeating: 0, count: decoder.maxPoses * height * width)
    let owners = assignment?.owners(of: poses.map { $0.points.map(Optional.some) }) ?? []
    for (cell, owner) in owners.enumerated() {
      masks[owner * height * width + cell] = 1
    }
    try call.write(masks, toOutput: 4)
  }

  /// Returns the elements of an input as real numbers.
  private func numbers(
    _ call: borrowing CustomOperatorCall, _ index: Int
  ) throws(ModelError) -> [Float] {
    let quantization = inputs[index].quantization ?? TensorQuantization(scale: 1, zeroPoint: 0)
    let real = { (stored: Int) in Float(stored - quantization.zeroPoint) * quantization.scale }
    switch inputs[index].elementType {
    case .float32: return try call.elements(ofInput: index, as: Float.self)
    case .uint8: return try call.elements(ofInput: index, as: UInt8.self).map { real(Int($0)) }
    case .int8: return try call.elements(ofInput: index, as: Int8.self).map { real(Int($0)) }
    default:
      throw ModelError(.run, .unsupported("inputs of the type \(inputs[index].elementType)"))
    }
  }
}
