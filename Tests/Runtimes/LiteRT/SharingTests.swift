import TensorIOCore
import TensorIOLiteRT
import TensorIOTestSupport
import Testing

@Suite(.serialized) struct SharingTests {
  @Test func `Sessions of one model run concurrently without mixing values`() async throws {
    let model = try TinyModel(name: "double-float32").load()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<4 {
        let session = try model.makeSession(SessionOptions())
        group.addTask {
          for run in 0..<500 {
            let values = (0..<4).map { Float(worker * 10_000 + run * 4 + $0) }
            let doubled = try session.run(values)
            #expect(doubled == values.map { $0 * 2 })
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test func `Models are opened concurrently`() async throws {
    let backend = LiteRTBackend()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<25 {
            let model = try backend.model(at: TinyModel(name: "double-int32").file)
            let session = try model.makeSession(SessionOptions(threads: 2))
            #expect(try session.run([1, 2, 3, 4] as [Int32]) == [2, 4, 6, 8])
          }
        }
      }
      try await group.waitForAll()
    }
  }

  @Test(arguments: [Int.min, 0, 2, Int.max])
  func `Any thread count is clamped to the valid range`(_ threads: Int) throws {
    let session = try TinyModel(name: "double-int32").session(threads: threads)
    #expect(try session.run([1, 2, 3, 4] as [Int32]) == [2, 4, 6, 8])
  }

  @Test func `A session outlives its model and its backend`() throws {
    let session = try LiteRTBackend().model(at: TinyModel(name: "double-int32").file)
      .makeSession(SessionOptions())
    #expect(try session.run([1, 2, 3, 4] as [Int32]) == [2, 4, 6, 8])
  }

  @Test func `Opening and closing a model a thousand times does not leak memory`() async {
    // In a separate process, where no other test allocates memory.
    await #expect(processExitsWith: .success) {
      let file = TinyModel(name: "detector").file
      func cycle() throws {
        let model = try LiteRTBackend().model(at: file)
        let session = try model.makeSession(SessionOptions())
        try session.invoke()
      }
      // A leak of one 8 kB page per cycle would be 1.6 MB.
      let memory = try MemoryGrowth(cycles: 1000, cycle)
      #expect(memory.minGrowth < 1 << 20, "\(memory)")
    }
  }
}
