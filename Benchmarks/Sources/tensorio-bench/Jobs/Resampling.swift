import Foundation
import TensorIOImage

/// A picture made small, as Pillow does it.
extension Job {
  static let resampling = [
    resampling("bilinear", .bilinear), resampling("lanczos", .lanczos),
  ]

  private static func resampling(_ name: String, _ filter: ImageFilter) -> Job {
    Job(
      "resize-\(name)", "\(name), 1280×720 to 224×224 RGB", against: "Pillow", .time(times: 0.2)
    ) {
      let subject = try PillowSubject(filter: name)
      let preparation = ImagePreparation(width: 224, height: 224, fit: .stretch, filter: filter)
      let ours = try Contender.repeating { times in
        for _ in 0..<times { _ = try preparation(subject.source) }
      }
      return Contest(
        ours, against: .peer(subject.command, median: subject.measurement),
        agreement: subject.agreement(with: try preparation(subject.source).image))
    }
  }
}

/// What Pillow works on, and what it makes of it.
private struct PillowSubject {
  let command: [String]
  let measurement: String
  let source: ImageBuffer
  let result: [UInt8]

  init(filter: String) throws {
    measurement = "\(filter) 1280x720 224x224"
    command = [
      Place.python, Place.resizeScript, "--fit", "stretch", "--only", measurement,
      "--rounds", "1", "--iterations", "9",
    ]
    _ = try Subprocess.output(of: command + ["--write", Place.pixels])
    source = try ImageBuffer(
      width: 1280, height: 720, format: .rgb, pixels: Self.bytes("\(measurement) source.rgb"))
    result = try Self.bytes("\(measurement).rgb")
  }

  private static func bytes(_ name: String) throws -> [UInt8] {
    [UInt8](try Data(contentsOf: URL(fileURLWithPath: Place.pixels + "/" + name)))
  }

  func agreement(with image: ImageBuffer) -> String {
    let differences = zip(image.pixels, result).map { abs(Int($0) - Int($1)) }
    guard image.pixels.count == result.count else { return "another size" }
    return "pixels within \(differences.max() ?? 0)"
  }
}
