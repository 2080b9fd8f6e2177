import Dispatch
import Synchronization
import TensorIOBundle
import TensorIOCore
import TensorIOSystem

// The checks of sessions: several of them, threads, state, strings and lifetime.

extension ConformanceSubject {
  func checkSessions() throws(ConformanceStop) {
    guard model.samples.count > 1 else { throw .notApplicable("there is one sample") }
    let (a, b) = (try makeSession(), try makeSession())
    let (first, second) = (model.samples[0], model.samples[1])
    // Each step of one session is between two steps of the other.
    for _ in 0..<2 {
      try fill(a, with: first)
      try fill(b, with: second)
      try invoke(a)
      try invoke(b)
      try compare(read(a), with: first.outputs)
      try compare(read(b), with: second.outputs)
      try reset(a)
      try reset(b)
    }
  }

  func checkConcurrency() throws(ConformanceStop) {
    let opened = try open(sessions: 2)
    let failure = Mutex<ConformanceStop?>(nil)
    let group = DispatchGroup()
    for thread in 0..<4 {
      group.enter()
      BackgroundThread.start { [self] in
        defer { group.leave() }
        do throws(ConformanceStop) {
          for run in 0..<10 where !model.samples.isEmpty {
            try self.run(opened, on: model.samples[(thread + run) % model.samples.count])
          }
        } catch {
          failure.withLock { $0 = error }
        }
      }
    }
    group.wait()
    if let failure = failure.withLock({ $0 }) { throw failure }
  }

  func checkThreads() throws(ConformanceStop) {
    for threads in [2, 3] {
      let opened = try open(threads: threads)
      for sample in model.samples { try run(opened, on: sample) }
    }
  }

  func checkStrings() throws(ConformanceStop) {
    guard let index = signature.inputs.firstIndex(where: { $0.elementType == .string }) else {
      throw .notApplicable("no input takes strings")
    }
    let (session, sample) = (try makeSession(), try firstSample())
    let count = try input(inputs[index].name, of: sample).count
    let contents: [[UInt8]] = [
      [], [0], [0xFF, 0xFE, 0x80], Array("ä\n\u{1F600}".utf8), Array(repeating: 7, count: 70_000),
    ]
    for bytes in contents {
      try fill(session, with: sample)
      try attempt("strings of any bytes") { () throws(ModelError) in
        try session.fill(index, strings: Array(repeating: bytes, count: count))
      }
      // A model may reject strings, such as those that are no numbers, with an error.
      do throws(ModelError) {
        try session.invoke()
      } catch {
        try require(error.stage == .run, "strings are an error of the stage \(error.stage)")
      }
      try reset(session)
      try run(session, on: sample)
    }
    try requireError("too many strings") { () throws(ModelError) in
      try session.fill(index, strings: Array(repeating: [65], count: count + 1))
      try session.invoke()
    }
    try run(session, on: sample)
  }

  func checkState() throws(ConformanceStop) {
    let session = try makeSession()
    guard session.abilities.resetState != nil else {
      try require(model.outputsWithState == nil, "'abilities.resetState' is nil")
      for sample in model.samples + model.samples.reversed() { try run(session, on: sample) }
      return
    }
    guard let outputs = model.outputsWithState else {
      throw .failed(
        "'abilities.resetState' is not nil, but the model of the suite has no 'outputsWithState'")
    }
    for _ in 0..<2 {
      for (sample, expected) in zip(model.samples, outputs) {
        try run(session, on: sample, expecting: expected)
      }
      try reset(session)
    }
    let opened = try open()
    for sample in model.samples + model.samples { try run(opened, on: sample) }
    for sample in model.samples {
      try run(session, on: sample)
      try reset(session)
    }
  }

  func checkAbilities() throws(ConformanceStop) {
    let (session, sample) = (try makeSession(), try firstSample())
    try require(
      session.abilities.train == nil, "a session for predictions has 'abilities.train'")
    if let setCancelled = session.abilities.setCancelled {
      try fill(session, with: sample)
      setCancelled(true)
      try requireError("running a canceled session") { () throws(ModelError) in
        try session.invoke()
      }
      setCancelled(false)
      session.abilities.discardInputs?()
      try reset(session)
    }
    try run(session, on: sample)
    // A runtime that does not record operators may reject the option.
    let profiled = try? loaded.makeSession(SessionOptions(profilesOperators: true))
    if let profiled, let operatorEvents = profiled.abilities.operatorEvents {
      try run(profiled, on: sample)
      let events = try attempt("reading the operators of a run", operatorEvents)
      try require(!events.isEmpty, "a run has no operators")
    }
  }

  func checkLifetime() throws(ConformanceStop) {
    let session = try attempt("loading the model again") { () throws(ModelError) in
      try bundle.load(for: .predict, threads: 1, on: backend).makeSession(SessionOptions())
    }
    try run(session, on: firstSample())
  }
}
