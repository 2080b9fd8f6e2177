import Foundation
import TensorIO
import TensorIOImage
import TensorIOSystem
import TensorIOTestSupport
import Testing

@testable import TensorIOCommand
@testable import TensorIOStreaming

/// Tests of `tensorio stream` on videos, which require `ffmpeg`.
@Suite struct VideoTests {
  /// Whether `ffmpeg` is installed; without it, video tests are skipped with a message.
  static let hasFFmpeg: Bool = {
    let isInstalled = Subprocess.run("ffmpeg", ["-version"])?.status == 0
    if !isInstalled { print("ffmpeg is not installed: skipping video tests") }
    return isInstalled
  }()

  /// Creates a video of two shapes moving over a photograph.
  private static func makeVideo(
    in folder: TemporaryFolder, seconds: Int = 10, size: String = "160:107", name: String = "in.mp4"
  ) throws -> String {
    let photograph = ProjectFiles.path("Tests/Fixtures/Images/china.jpg")
    let path = "\(folder.path)/\(name)"
    let filter = """
      [0]scale=\(size)[b];[b][1]overlay=x='5+10*t':y='20+5*t'[c];\
      [c][2]overlay=x='120-10*t':y='40+20*sin(t)'
      """
    let outcome = Subprocess.run(
      "ffmpeg",
      ["-nostdin", "-loop", "1", "-t", "\(seconds)", "-r", "25", "-i", photograph]
        + ["red:s=20x20", "blue:s=16x24"].flatMap {
          ["-f", "lavfi", "-t", "\(seconds)", "-i", "color=\($0):r=25"]
        } + ["-filter_complex", filter, "-pix_fmt", "yuv444p", path])
    try #require(outcome?.status == 0, "\(outcome?.standardError ?? "")")
    return path
  }

  /// Decodes a video and returns its frame count and size.
  private static func facts(of video: String) throws -> (count: Int, width: Int, height: Int) {
    var source = try VideoSource(video, isPaced: false, isCancelled: { false })
    var (count, width, height) = (0, 0, 0)
    while let frame = try source.next() {
      let image = try frame.image
      (count, width, height) = (count + 1, image.width, image.height)
    }
    return (count, width, height)
  }

  @Test(.enabled(if: hasFFmpeg))
  func `Every frame of a video is annotated`() throws {
    let folder = try TemporaryFolder()
    let video = try Self.makeVideo(in: folder)
    let out = "\(folder.path)/out.mp4"
    let outcome = TestConsole.run(["stream", Example.digits, video, "--annotate", out])
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    #expect(try outcome.jsonLines().count == 250)
    #expect(try outcome.jsonLines().last?["time_s"]?.number == 9.96)
    // A machine that is busy prints progress before.
    #expect(outcome.messages.contains("250 frames in, 250 out, 0 dropped"))
    #expect(outcome.messages.contains("p95"))
    // Small images are enlarged until labels are legible.
    let facts = try Self.facts(of: out)
    #expect(facts == (250, 480, 322))
  }

  @Test(.enabled(if: hasFFmpeg))
  func `Dropped frames are counted and the video keeps its speed`() throws {
    let folder = try TemporaryFolder()
    let video = try Self.makeVideo(in: folder, seconds: 2)
    let out = "\(folder.path)/out.mkv"
    let outcome = TestConsole.run([
      "stream", Example.negative, video, "--annotate", out, "--min-interval", "0.2",
    ])
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    #expect(outcome.messages.contains("50 frames in, 10 out, 40 dropped"))
    var source = try VideoSource(out, isPaced: false, isCancelled: { false })
    #expect(source.frameRate == 5)
    var count = 0
    while try source.next() != nil { count += 1 }
    #expect(count == 10)
  }

  @Test(.enabled(if: hasFFmpeg))
  func `In real time, frames that arrive during processing are dropped`() throws {
    let folder = try TemporaryFolder()
    let video = try Self.makeVideo(in: folder, seconds: 1)
    let start = ContinuousClock.now
    let outcome = TestConsole.run(["stream", Example.digits, video, "--realtime"])
    #expect(outcome.exitCode == 0, "\(outcome.messages)")
    #expect(ContinuousClock.now - start > .milliseconds(800))
    let count = try outcome.jsonLines().count
    #expect(count > 0)
    #expect(outcome.messages.contains("25 frames in, \(count) out, \(25 - count) dropped"))
  }

  @Test(.enabled(if: hasFFmpeg))
  func `A truncated video is an error and processed frames are kept`() throws {
    let folder = try TemporaryFolder()
    let whole = try Data(
      contentsOf: URL(filePath: try Self.makeVideo(in: folder, name: "whole.mkv")))
    let cut = try folder.write([UInt8](whole.prefix(whole.count / 2)), to: "cut.mkv")
    let out = "\(folder.path)/out.mp4"
    let outcome = TestConsole.run(["stream", Example.digits, cut, "--annotate", out])
    #expect(outcome.exitCode == 1)
    let count = try outcome.jsonLines().count
    #expect(count > 20 && count < 240)
    // A line with statistics comes before the error where the frames take more than ten seconds.
    let isError = { (line: Substring) in line.hasPrefix("tensorio: \(cut): ") }
    #expect(outcome.messages.split(separator: "\n").contains(where: isError), "\(outcome.messages)")
    #expect(try Self.facts(of: out).count == count)
  }

  @Test(.enabled(if: hasFFmpeg), arguments: ["nothing", "a text"])
  func `A file that is not a video is an error`(_ contents: String) throws {
    let folder = try TemporaryFolder()
    let path =
      contents == "nothing" ? "\(folder.path)/none.mp4" : try folder.write(contents, to: "text.mp4")
    let outcome = TestConsole.run(["stream", Example.digits, path])
    #expect(outcome.exitCode == 4 && outcome.output.isEmpty)
    #expect(outcome.firstMessageLine.hasPrefix("tensorio: \(path): "), "\(outcome.messages)")
  }

  @Test(.enabled(if: hasFFmpeg))
  func `A video that cannot be written ends the stream`() throws {
    let folder = try TemporaryFolder()
    let video = try Self.makeVideo(in: folder, seconds: 4)
    let outcome = TestConsole.run([
      "stream", Example.digits, video, "--annotate", "\(folder.path)/none/out.mp4",
    ])
    #expect(outcome.exitCode == 6)
    #expect(outcome.messages.contains("No such file or directory"))
    #expect(try outcome.jsonLines().count < 50)
    let same = TestConsole.run(["stream", Example.digits, video, "--annotate", video])
    #expect(same.exitCode == 2)
    #expect(try Self.facts(of: video).count == 100)
  }

  @Test(.enabled(if: hasFFmpeg))
  func `An interrupt leaves a playable video`() throws {
    let folder = try TemporaryFolder()
    let video = try Self.makeVideo(in: folder, seconds: 120)
    let out = "\(folder.path)/out.mp4"
    let process = try Executable().start(["stream", Example.digits, video, "--annotate", out])
    try process.waitForOutput("\"frame\":20,")
    process.interrupt()
    let outcome = process.wait()
    #expect(outcome.exitCode == 130)
    let count = try outcome.jsonLines().count
    #expect(count > 20 && count < 3000)
    #expect(outcome.messages.contains("\(count) out, 0 dropped"))
    #expect(try Self.facts(of: out).count == count)
  }

  @Test(arguments: [
    ["video.mp4"], ["/dev/video9"], ["-", "--frame-size", "8x8", "--annotate", "out.mp4"],
  ])
  func `Without ffmpeg the error contains the install command`(_ arguments: [String]) throws {
    let folder = try TemporaryFolder()
    let process = try Executable(environment: ["PATH": folder.path])
      .run(["stream", Example.digits] + arguments, input: [UInt8](repeating: 0, count: 192))
    #expect(process.exitCode == 5)
    #expect(process.messages.contains("install ffmpeg"), "\(process.messages)")
  }
}
