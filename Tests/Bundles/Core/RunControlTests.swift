import Synchronization
import TensorIOBundle
import Testing

@testable import TensorIOCore

@Suite struct RunControlTests {
  /// A session that records how it is canceled.
  private final class RecordingSession: Session {
    let changes = Mutex<[Bool]>([])

    var abilities: SessionAbilities {
      var abilities = SessionAbilities()
      abilities.setCancelled = { isCancelled in self.changes.withLock { $0.append(isCancelled) } }
      return abilities
    }
    func resize(_ shapes: [[Int]]) {}
    func fill(
      _ input: Int, _ body: (inout MutableRawSpan) throws(ModelError) -> Void
    ) throws(ModelError) {}
    func fill(_ input: Int, strings: [[UInt8]]) {}
    func invoke() {}
    func read(
      _ output: Int, _ body: (RawSpan, _ shape: [Int]) throws(ModelError) -> Void
    ) throws(ModelError) {}
    func readStrings(_ output: Int) -> [[UInt8]] { [] }

    var recorded: [Bool] { changes.withLock { $0 } }
  }

  @Test func `A run that is canceled restores its session`() {
    let (control, session) = (RunControl(), RecordingSession())
    control.begin(session)
    control.cancel(.cancelled)
    control.cancel(.runTimedOut(limit: .seconds(1)))
    control.end()
    #expect(session.recorded == [true, false])
    #expect(control.reason == .cancelled)
  }

  @Test func `A run that is canceled before it begins is canceled at once`() {
    let (control, session) = (RunControl(), RecordingSession())
    control.cancel(.cancelled)
    control.begin(session)
    control.end()
    #expect(session.recorded == [true, false])
  }

  @Test func `A run that has ended is not canceled`() {
    let (control, session) = (RunControl(), RecordingSession())
    control.begin(session)
    control.end()
    control.cancel(.cancelled)
    #expect(session.recorded.isEmpty)
  }
}
