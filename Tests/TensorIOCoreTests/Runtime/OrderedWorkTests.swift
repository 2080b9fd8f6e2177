import Foundation
import Synchronization
import TensorIOBundle
import TensorIOSystem
import Testing

@Suite struct OrderedWorkTests {
  /// Does uneven work on numbers and returns those that were handed over, and how many were begun.
  private func numbers(
    _ count: Int, workers: Int, deliver: (Int) -> OrderedParallelMap.Decision = { _ in .proceed }
  ) -> (handed: [Int], begun: Int) {
    let begun = Atomic(0)
    var handed: [Int] = []
    OrderedParallelMap.run(count, threads: workers) { index in
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
    #expect(numbers(count, workers: workers) == (Array(0..<count), count))
  }

  @Test func `Nobody runs far ahead of what is handed over`() {
    let begun = Atomic(0)
    OrderedParallelMap.run(200, threads: 3) { _ in
      begun.add(1, ordering: .relaxed)
    } deliver: { index, _ in
      usleep(500)
      #expect(begun.load(ordering: .relaxed) - index <= 3 * OrderedParallelMap.maxPendingPerThread + 1)
      return .proceed
    }
  }

  @Test(arguments: [1, 4])
  func `Who wants nothing more gets nothing more`(_ workers: Int) throws {
    let (handed, begun) = numbers(500, workers: workers) { $0 == 20 ? .stop : .proceed }
    #expect(handed == Array(0...20))
    #expect(begun < 60)
  }

  @Test func `Who wants the rest gets all that was begun`() {
    let (handed, begun) = numbers(500, workers: 4) { $0 == 20 ? .finishPending : .proceed }
    #expect(handed == Array(0..<begun))
    #expect((21..<60).contains(begun))
  }

  @Test func `An error ends the work`() {
    #expect(throws: ModelError.self) {
      try OrderedParallelMap.run(500, threads: 4) {
        $0
      } deliver: {
        (index, _) throws(ModelError) in
        if index == 3 { throw ModelError(.run, .cancelled) }
        return .proceed
      }
    }
  }
}
