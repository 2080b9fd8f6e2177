import Testing

@testable import TensorIOTasks

@Suite struct KeypointGridTests {
  @Test(
    arguments: [
      (353, 23, 16), (257, 9, 32), (256, 8, 32), (1, 1, 1), (1, 2, 0.5), (1, 7, 1.0 / 7),
    ] as [(Double, Int, Double)])
  func `The distance between cells is positive, also for an image of one pixel`(
    _ side: Double, _ cells: Int, _ expected: Double
  ) {
    let strides = KeypointGrid(height: cells, width: cells, keypointCount: 1)
      .strides(in: (width: side, height: side))
    #expect(strides == (x: expected, y: expected))
  }
}
