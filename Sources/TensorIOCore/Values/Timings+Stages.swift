extension Timings {
  /// The stages by their names, in order.
  package var stages: [(name: String, duration: Duration)] {
    [
      ("picture", picture), ("input", input), ("run", run), ("output", output), ("total", total),
    ]
  }
}

extension Duration {
  /// The milliseconds, to the microsecond.
  package var roundedMilliseconds: Double { (milliseconds * 1000).rounded() / 1000 }
}
