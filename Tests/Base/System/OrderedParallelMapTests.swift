import Foundation
import Synchronization
import TensorIOSystem
import Testing

@Suite struct OrderedParallelMapTests {
  /// Maps numbers with uneven work; returns the delivered numbers and how many were started.
  private func numbers(
    _ count: Int, workers: Int, deliver: (Int) -> OrderedParallelMap.Decision = { _ in .proceed }
  ) -> (delivered: [Int], started: Int) {
    let started = Atomic(0)
    var delivered: [Int] = []
    OrderedParallelMap.run(count, threads: workers) { index in
      started.add(1, ordering: .relaxed)
      usleep(UInt32(index * 7919 % 300))
      return index * index
    } deliver: { index, square in
      #expect(square == index * index)
      delivered.append(index)
      return deliver(index)
    }
    return (delivered, started.load(ordering: .relaxed))
  }

  @Test(arguments: [0, 1, 2, 5, 500], [1, 2, 7])
  func `Results are delivered in order`(_ count: Int, _ workers: Int) throws {
    #expect(numbers(count, workers: workers) == (Array(0..<count), count))
  }

  @Test func `Workers do not run far ahead of delivery`() {
    let started = Atomic(0)
    OrderedParallelMap.run(200, threads: 3) { _ in
      started.add(1, ordering: .relaxed)
    } deliver: { index, _ in
      usleep(500)
      #expect(
        started.load(ordering: .relaxed) - index <= 3 * OrderedParallelMap.maxPendingPerThread + 1)
      return .proceed
    }
  }

  @Test(arguments: [1, 4])
  func `Nothing is delivered after stop`(_ workers: Int) throws {
    let (delivered, started) = numbers(500, workers: workers) { $0 == 20 ? .stop : .proceed }
    #expect(delivered == Array(0...20))
    #expect(started < 60)
  }

  @Test func `Finishing pending items delivers everything that was started`() {
    let (delivered, started) = numbers(500, workers: 4) { $0 == 20 ? .finishPending : .proceed }
    #expect(delivered == Array(0..<started))
    #expect((21..<60).contains(started))
  }

  @Test func `An error ends the map`() {
    #expect(throws: FileError.self) {
      try OrderedParallelMap.run(500, threads: 4) {
        $0
      } deliver: {
        (index, _) throws(FileError) in
        if index == 3 { throw FileError.notFound }
        return .proceed
      }
    }
  }
}
