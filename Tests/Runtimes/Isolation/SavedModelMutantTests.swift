import Foundation
import TensorIO
import TensorIOBundle
import TensorIOCore
import TensorIOSystem
import TensorIOTensorFlow
import TensorIOTestSupport
import Testing

private let isRuntimeAvailable = (try? TensorFlowBackend().locateLibrary()) != nil

/// Damaged SavedModels in this process: each one runs or throws an error, in the calling thread.
///
/// `TENSORIO_MUTANTS=all swift test --filter SavedModelMutantTests` tests 600 of them.
@Suite(.enabled(if: isRuntimeAvailable), .serialized, .ownThreads)
struct SavedModelMutantTests {
  static let count = Platform.environment("TENSORIO_MUTANTS") == "all" ? 600 : 30
  /// The files to damage, in turn; every second one is the graph.
  static let files = [
    "saved_model.pb", "variables/variables.index", "saved_model.pb",
    "variables/variables.data-00000-of-00001", "saved_model.pb", "variables/variables.index",
  ]

  @Test(.hangGuard(isLong: count > 30)) func `No damaged model crashes this process or takes long`()
    throws
  {
    let source = ProjectFiles.path("Tests/Fixtures/TensorFlow/keras.tiobundle")
    var codes: [String: Int] = [:]
    var longest = Duration.zero
    for number in 0..<Self.count {
      let folder = try TemporaryFolder()
      let path = try folder.copy(source, as: "mutant.tiobundle")
      let file = "\(path)/model/\(Self.files[number % Self.files.count])"
      try Self.damage(file, UInt64(number))
      var error: ModelError?
      let time = ThreadTime.measure {
        error = failure {
          let model = try Model(ModelBundle(at: path), on: TensorFlowBackend())
          _ = try model.run([1, 2, 3, 4] as [Float])
        }
      }
      longest = max(longest, time)
      codes[error?.code ?? "answered", default: 0] += 1
    }
    print("\(Self.count) damaged SavedModels: \(codes), longest \(longest) of processor time")
    #expect(codes.values.reduce(0, +) == Self.count)
    #expect(longest < .seconds(5))
  }

  private static func damage(_ file: String, _ seed: UInt64) throws {
    let url = URL(filePath: file)
    let bytes = Array(try Data(contentsOf: url))
    let mutation = seed % 5 == 4 ? Mutation.cut(Int(seed) * 7 % bytes.count) : .random(seed)
    try Data(mutation.apply(to: bytes)).write(to: url)
  }
}
