import Foundation
import TensorIOSystem
import TensorIOTestSupport
import Testing

/// A video of a circle that moves to the right and a square that moves to the left.
enum ShapeVideo {
  /// Whether `ffmpeg` is installed; without it, tests of videos are skipped.
  static let isAvailable = Subprocess.run("ffmpeg", ["-version"])?.status == 0
  static let frameCount = 20

  /// Creates the video; returns its path.
  static func make(in folder: TemporaryFolder) throws -> String {
    let (width, height) = (320, 240)
    var pixels: [UInt8] = []
    for frame in 0..<frameCount {
      let (circle, square) = (60 + frame * 8, 260 - frame * 8)
      for y in 0..<height {
        for x in 0..<width {
          let isCircle = (x - circle) * (x - circle) + (y - 60) * (y - 60) < 900
          let isSquare = abs(x - square) < 28 && abs(y - 170) < 28
          pixels += isCircle ? [200, 40, 40] : isSquare ? [40, 60, 200] : [235, 235, 230]
        }
      }
    }
    let frames = try folder.write(pixels, to: "frames.rgb")
    let path = "\(folder.path)/shapes.mp4"
    let outcome = Subprocess.run(
      "ffmpeg",
      [
        "-nostdin", "-f", "rawvideo", "-pix_fmt", "rgb24", "-video_size", "\(width)x\(height)",
        "-framerate", "10", "-i", frames, "-pix_fmt", "yuv420p", path,
      ])
    try #require(outcome?.status == 0, "\(outcome?.standardError ?? "")")
    return path
  }
}
