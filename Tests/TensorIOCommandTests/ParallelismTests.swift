import TensorIOCore
import Testing

@testable import TensorIOCommand

@Suite struct ParallelismTests {
  @Test func `Few items get all threads one after the other`() {
    let split = Parallelism(items: 8, threads: nil, processors: 6)
    #expect((split.workers, split.sessions, split.threads) == (1, 1, 6))
  }

  @Test func `Many items get a thread each`() {
    let split = Parallelism(items: 9, threads: nil, processors: 6)
    #expect((split.workers, split.sessions, split.threads) == (6, 6, 1))
  }

  @Test func `Threads that are asked for are given`() {
    let split = Parallelism(items: 100, threads: 4, processors: 6)
    #expect((split.workers, split.sessions, split.threads) == (6, 1, 4))
    #expect(Parallelism(items: 1, threads: 3, processors: 6).threads == 3)
  }
}
