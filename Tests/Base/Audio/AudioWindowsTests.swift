import Testing

@testable import TensorIOAudio

/// Tests of `AudioWindows`.
struct AudioWindowsTests {
  private func windows(
    _ frames: Int, _ length: Int, hop: Int? = nil, _ remainder: AudioWindows.Remainder = .padded
  ) throws -> [[Float]] {
    let samples = (0..<frames).map { Float($0 + 1) }
    let windows = try AudioWindows(
      frameCount: frames, length: length, hop: hop, remainder: remainder)
    var target = [Float](repeating: .nan, count: length)
    return windows.map { window in
      windows.copy(window, of: samples, into: &target)
      return target
    }
  }

  @Test func `The last window is padded with zeros`() throws {
    #expect(try windows(5, 2) == [[1, 2], [3, 4], [5, 0]])
    #expect(try windows(4, 2) == [[1, 2], [3, 4]])
    #expect(try windows(1, 3) == [[1, 0, 0]])
  }

  @Test func `Audio without frames has no windows`() throws {
    for remainder in AudioWindows.Remainder.allCases {
      #expect(try windows(0, 4, remainder).isEmpty)
    }
  }

  @Test func `Windows overlap until the last frame is reached`() throws {
    #expect(try windows(4, 4, hop: 2) == [[1, 2, 3, 4]])
    #expect(try windows(5, 4, hop: 2) == [[1, 2, 3, 4], [3, 4, 5, 0]])
    #expect(try windows(6, 4, hop: 2) == [[1, 2, 3, 4], [3, 4, 5, 6]])
  }

  @Test func `Windows with gaps are never all padding`() throws {
    #expect(try windows(3, 2, hop: 3) == [[1, 2]])
    #expect(try windows(4, 2, hop: 3) == [[1, 2], [4, 0]])
  }

  @Test func `An aligned last window ends with the audio`() throws {
    #expect(try windows(5, 2, .aligned) == [[1, 2], [3, 4], [4, 5]])
    #expect(try windows(1, 2, .aligned) == [[1, 0]])
  }

  @Test func `Frames that do not fill a window are dropped on request`() throws {
    #expect(try windows(5, 2, .dropped) == [[1, 2], [3, 4]])
    #expect(try windows(1, 2, .dropped).isEmpty)
  }

  @Test func `A window of several channels has whole frames`() throws {
    let windows = try AudioWindows(frameCount: 3, length: 2, channelCount: 2)
    var target = [Float](repeating: 0, count: windows.samplesPerWindow)
    windows.copy(windows[1], of: [1, 2, 3, 4, 5, 6], into: &target)
    #expect(target == [5, 6, 0, 0])
  }

  @Test func `A window has a time range without its padding`() throws {
    let windows = try AudioWindows(frameCount: 5, length: 2)
    #expect(windows[2].timeRange(sampleRate: 2) == 2..<2.5)
    #expect(windows[2].padding == 1)
  }

  @Test(arguments: [(0, 1), (1, 0), (-1, 1), (1, -1), (Int.max, 1)])
  func `An invalid length or hop is rejected`(length: Int, hop: Int) {
    #expect(throws: AudioError.self) {
      try AudioWindows(frameCount: 1, length: length, hop: hop)
    }
  }
}
