import Foundation
import Synchronization
import Testing

import TensorIOCore

@Suite struct OrderedWorkTests {
  /// Does uneven work on numbers and returns those that were handed over, and how many were begun.
  private func numbers(
    _ count: Int, workers: Int, deliver: (Int) -> OrderedWork.Wish = { _ in .more }
  ) throws -> (handed: [Int], begun: Int) {
    let begun = Atomic(0)
    var handed: [Int] = []
    try OrderedWork.perform(count, workers: workers) { index in
      begun.add(1, ordering: .relaxed)
      usleep(UInt32(index * 7919 % 300))
      return index * index
    } deliver: { index, square in
      #expect(square == index * index)
      handed.append(index)
      return deliver(index)
    }
    return (handed, begun.load(ordering: .relaxed))
  }

  @Test(arguments: [0, 1, 2, 5, 500], [1, 2, 7])
  func `What comes out comes in order`(_ count: Int, _ workers: Int) throws {
    #expect(try numbers(count, workers: workers) == (Array(0..<count), count))
  }

  @Test func `Nobody runs far ahead of what is handed over`() throws {
    let begun = Atomic(0)
    try OrderedWork.perform(200, workers: 3) { _ in
      begun.add(1, ordering: .relaxed)
    } deliver: { index, _ in
      usleep(500)
      #expect(begun.load(ordering: .relaxed) - index <= 6 + 1)
      return .more
    }
  }

  @Test(arguments: [1, 4])
  func `Who wants nothing more gets nothing more`(_ workers: Int) throws {
    let (handed, begun) = try numbers(500, workers: workers) { $0 == 20 ? .nothing : .more }
    #expect(handed == Array(0...20))
    #expect(begun < 60)
  }

  @Test func `Who wants the rest gets all that was begun`() throws {
    let (handed, begun) = try numbers(500, workers: 4) { $0 == 20 ? .rest : .more }
    #expect(handed == Array(0..<begun))
    #expect((21..<60).contains(begun))
  }

  @Test func `An error ends the work`() {
    #expect(throws: ModelError.self) {
      try OrderedWork.perform(500, workers: 4) {
        $0
      } deliver: {
        (index, _) throws(ModelError) in
        if index == 3 { throw ModelError(.run, .cancelled) }
        return .more
      }
    }
  }
}

@Suite struct ParallelismTests {
  @Test func `Few items get all threads one after the other`() {
    let split = Parallelism(items: 8, threads: nil, processors: 6)
    #expect((split.workers, split.sessions, split.threads) == (1, 1, 6))
  }

  @Test func `Many items get a thread each, and a hand that reads ahead`() {
    let split = Parallelism(items: 9, threads: nil, processors: 6)
    #expect((split.workers, split.sessions, split.threads) == (7, 6, 1))
  }

  @Test func `Threads that are asked for are given`() {
    let split = Parallelism(items: 100, threads: 4, processors: 6)
    #expect((split.workers, split.sessions, split.threads) == (7, 1, 4))
    #expect(Parallelism(items: 1, threads: 3, processors: 6).threads == 3)
  }
}
