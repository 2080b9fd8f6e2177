import TensorIOCore
import Testing

@Suite struct ParallelismTests {
  @Test func `Few items run one after another with all threads`() {
    let split = Parallelism(items: 8, threadsPerSession: nil, processors: 6)
    #expect((split.itemThreads, split.sessions, split.threadsPerSession) == (1, 1, 6))
  }

  @Test func `Many items run with one thread each`() {
    let split = Parallelism(items: 9, threadsPerSession: nil, processors: 6)
    #expect((split.itemThreads, split.sessions, split.threadsPerSession) == (6, 6, 1))
  }

  @Test func `An explicit number of threads is used`() {
    let split = Parallelism(items: 100, threadsPerSession: 4, processors: 6)
    #expect((split.itemThreads, split.sessions, split.threadsPerSession) == (6, 1, 4))
    #expect(Parallelism(items: 1, threadsPerSession: 3, processors: 6).threadsPerSession == 3)
  }
}
