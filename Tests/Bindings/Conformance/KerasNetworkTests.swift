import TensorIO
import TensorIOCore
import TensorIOTestSupport
import Testing

/// Keras networks as the converter writes them by default: for any number of items, with shapes
/// that the graph computes.
@Suite(.ownThreads) struct KerasNetworkTests {
  private func model(_ network: KerasNetwork, _ options: OpeningOptions = .init(threads: 1)) throws
    -> Model
  {
    let folder = try TemporaryFolder()
    return try withExtendedLifetime(folder) {
      try Model(at: network.write(to: folder), options: options)
    }
  }

  @Test func `The number of networks is printed`() {
    #expect(KerasNetwork.all.count > 100)
    CaseCount.report("keras", project: KerasNetwork.all.count, shared: 0)
  }

  @Test(arguments: KerasNetwork.all)
  func `Any number of items has the outputs of LiteRT's interpreter`(
    _ network: KerasNetwork
  ) throws {
    let model = try model(network)
    for count in [1, 2, 3, 8, 100, 1000, 3, 1] {
      let outputs = try model.run(batch: (0..<count).map(network.input))
      #expect(outputs.count == count)
      for (item, output) in outputs.enumerated() where try !network.isCorrect(output, item) {
        Issue.record("item \(item) of \(count) is wrong: \(output)")
        return
      }
    }
    #expect(try network.isCorrect(model.run(network.input(5)), 5))
  }

  @Test(arguments: [Isolation.Level.process, .sandbox])
  func `Worker processes compute the same outputs`(_ level: Isolation.Level) throws {
    let options = OpeningOptions(
      threads: 1, isolation: Isolation(level: level))
    for name in ["convolution.int8", "frames.float32", "several.float32", "unet.float32"] {
      let network = try #require(KerasNetwork.all.first { $0.name == name })
      let model = try model(network, options)
      for count in [8, 1, 100] {
        let outputs = try model.run(batch: (0..<count).map(network.input))
        #expect(
          try outputs.enumerated().allSatisfy { try network.isCorrect($1, $0) }, "\(name) \(count)")
      }
    }
  }

  /// Each row of a batch is computed in one invocation where the shapes do not depend on the number
  /// of items in any other way than that.
  @Test(arguments: ["convolution", "reshape", "series", "distributed", "permute", "residual"])
  func `Networks that flatten or reshape run all items in one invocation`(_ name: String) throws {
    let network = try #require(KerasNetwork.all.first { $0.name == "\(name).float32" })
    #expect(try model(network).supportsBatching)
  }
}
