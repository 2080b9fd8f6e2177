import Foundation

extension Contender {
  /// A whole process, from its start to its end.
  ///
  /// A small program starts it: a process's peak memory counts what it was forked from.
  static func process(_ words: [String]) -> Contender {
    Contender {
      let line = try Subprocess.output(of: [Place.launch] + words)
      return try JSONDecoder().decode(Launched.self, from: line).measurement
    }
  }

  /// A peer that measures itself and prints medians.
  static func peer(_ words: [String], median name: String) -> Contender {
    Contender {
      let line = try JSONDecoder().decode(PeerLine.self, from: Subprocess.output(of: words))
      guard let microseconds = line.median[name] else {
        throw BenchError.unreadable(program: line.program)
      }
      return Measurement(microseconds: microseconds)
    }
  }
}

/// What `launch` prints.
private struct Launched: Decodable {
  let microseconds: Double
  let peakKilobytes: Double

  var measurement: Measurement {
    Measurement(microseconds: microseconds, peakMegabytes: peakKilobytes / 1024)
  }
}

/// What peers print.
private struct PeerLine: Decodable {
  let program: String
  let median: [String: Double]
}
