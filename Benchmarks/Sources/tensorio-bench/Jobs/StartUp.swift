/// What a process costs before it does anything.
extension Job {
  static let startUp = [
    Job("start", "start-up: `tensorio --version`", against: "`/bin/true`", .time, .peakMemory) {
      Contest(.process([Place.tensorio, "--version"]), against: .process(["/bin/true"]))
    }
  ]
}
