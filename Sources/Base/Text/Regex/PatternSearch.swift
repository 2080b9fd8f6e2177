/// The simulation of a pattern's automaton, all threads at once.
struct PatternSearch {
  /// A thread, and where its match began.
  private struct Thread {
    let place: Int
    let start: Int
  }

  /// The scalars around a place of the text; `nil` at its ends.
  private struct Surroundings {
    var previous: UInt32?
    var next: UInt32?

    func satisfy(_ condition: PatternProgram.Condition) -> Bool {
      let scalar = condition.isAhead ? next : previous
      return (scalar.map(condition.set.contains) ?? false) != condition.isNegated
    }
  }

  private let program: PatternProgram
  private var threads: [Thread] = []
  private var nextThreads: [Thread] = []
  private var pending: [Int] = []
  /// The step in which a place was last reached.
  private var reached: [Int]
  private var step = 0

  init(_ program: PatternProgram) {
    self.program = program
    reached = [Int](repeating: 0, count: program.instructions.count)
  }

  /// Returns the first match at or after an offset, and the end of the bytes that were read.
  mutating func first(
    in text: Span<UInt8>, from offset: Int
  ) -> (match: Range<Int>, readEnd: Int)? {
    threads.removeAll(keepingCapacity: true)
    var found: Range<Int>?
    var index = offset
    var around = Surroundings(previous: UTF8Text.scalar(before: offset, in: text))
    while true {
      step += 1
      var length = 0
      around.next = nil
      if index < text.count {
        let (scalar, scalarLength) = UTF8Text.scalar(at: index, in: text)
        (around.next, length) = (scalar, scalarLength)
      }
      nextThreads.removeAll(keepingCapacity: true)
      for thread in threads { add(thread.place, start: thread.start, around) }
      if found == nil { add(0, start: index, around) }
      swap(&threads, &nextThreads)
      if let end = threads.firstIndex(where: isMatch) {
        found = threads[end].start..<index
        threads.removeSubrange(end...)  // less preferred
      }
      guard let scalar = around.next, !(threads.isEmpty && found != nil) else { break }
      index += length
      advance(over: scalar)
      around.previous = scalar
    }
    return found.map { ($0, index) }
  }

  private func isMatch(_ thread: Thread) -> Bool {
    if case .match = program.instructions[thread.place] { true } else { false }
  }

  /// Keeps the threads that consume a scalar.
  private mutating func advance(over scalar: UInt32) {
    var count = 0
    for thread in threads {
      if case .scalar(let set) = program.instructions[thread.place], set.contains(scalar) {
        threads[count] = Thread(place: thread.place + 1, start: thread.start)
        count += 1
      }
    }
    threads.removeLast(threads.count - count)
  }

  /// Adds the threads that a place leads to, the preferred ones first.
  private mutating func add(_ place: Int, start: Int, _ around: Surroundings) {
    pending.append(place)
    while let place = pending.popLast() {
      guard reached[place] != step else { continue }
      reached[place] = step
      switch program.instructions[place] {
      case .split(let first, let second):
        pending.append(second)
        pending.append(first)
      case .jump(let target): pending.append(target)
      case .condition(let condition):
        if around.satisfy(condition) { pending.append(place + 1) }
      case .scalar, .match: nextThreads.append(Thread(place: place, start: start))
      }
    }
  }
}
