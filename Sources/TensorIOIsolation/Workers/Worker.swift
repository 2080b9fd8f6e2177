internal import TensorIOCore
internal import TensorIOSystem

/// A worker, as its program sees it: a process that answers, one call at a time.
final class Worker: Sendable {
  private let process: WorkerProcess
  private let channel: Channel
  private let timeLimit: Duration
  /// Told of an end that was not wanted.
  private let died: @Sendable () -> Void

  init(
    _ command: WorkerCommand, timeLimit: Duration, died: @escaping @Sendable () -> Void
  ) throws(ModelError) {
    self.timeLimit = timeLimit
    self.died = died
    do throws(FileFault) {
      let (ours, theirs) = try Channel.pair()
      channel = ours
      process = try WorkerProcess(command, theirs.descriptor)
    } catch {
      throw ModelError(.runtime, .workerMissing(looked: ["\(command.path): \(error.problem)"]))
    }
  }

  /// Nobody asks it any more.
  deinit { process.kill() }

  /// Its process's number, while there is one.
  var id: Int32? { process.id }

  /// Whether it has gone while nobody asked it anything.
  var isGone: Bool { channel.isClosed }

  /// Asks for something, and gives the answer to it.
  ///
  /// - Throws: What the worker answers, or how it ended instead of answering.
  func call(
    _ request: Request, with memory: SharedMemory? = nil
  ) throws(ModelError) -> Answer {
    let answer: Answer
    do throws(ChannelFault) {
      let deadline = Deadline.after(timeLimit)
      try channel.send(request, with: memory, until: deadline)
      answer = try channel.receiveAlone(until: deadline)
    } catch {
      throw lost(error)
    }
    if case .failed(let error) = answer { throw error }
    return answer
  }

  /// Asks for something that is only done.
  func command(_ request: Request, with memory: SharedMemory? = nil) throws(ModelError) {
    guard case .done = try call(request, with: memory) else { throw senseless("another answer") }
  }

  /// The error of a worker whose answer cannot be true.
  func senseless(_ what: String) -> ModelError {
    end("answered what cannot be (\(what)) and was ended")
  }

  private func lost(_ fault: ChannelFault) -> ModelError {
    switch fault {
    case .late: return end("did not answer within \(timeLimit) and was ended")
    case .senseless(let fault): return end("said what cannot be (\(fault)) and was ended")
    case .closed:
      // It is ending already; should it have closed its line alone, it is made to.
      return end(nil)
    }
  }

  private func end(_ how: String?) -> ModelError {
    if how != nil { process.kill() }
    let end = process.waitOrKill()
    died()
    return ModelError(.run, .workerLost(how: how ?? "\(end)"))
  }
}
