/// The options of the command line.
struct Arguments {
  enum Format: String, CaseIterable {
    case text, markdown, json
  }

  static let fewestRounds = 7

  static let help = """
    usage: Scripts/measure/bench [--all | --only NAME…] [--rounds N] [--wait SECONDS] [--format FORMAT] [--save]
                         [--alone]

    Measures TensorIO and its peers in turns and prints the ratios of their medians.

      --only NAME     the jobs whose names begin so: \(Job.all.map(\.name).joined(separator: " "))
      --all           all of these, also \(Job.all.filter(\.isLong).map(\.name).joined(separator: ", ")),
                      which take minutes
      --rounds N      how many rounds, at least \(fewestRounds) (the default)
      --wait SECONDS  how long to wait, all in all, until the machine is quiet (default 60)
      --format FORMAT text, markdown or json
      --save          puts the table into Benchmarks/README.md as well, or with --only its rows
                      into the table that is there
      --alone         measures no peer, so that a profiler sees nothing else
    """

  private(set) var jobs = Job.all
  private(set) var rounds = fewestRounds
  private(set) var patience = Duration.seconds(60)
  private(set) var format = Format.text
  private(set) var saves = false
  private(set) var isAlone = false
  private(set) var wantsHelp = false
  /// The command that does the same again.
  let command: String

  init(_ words: some Collection<String>) throws {
    command = (["Scripts/measure/bench"] + words).joined(separator: " ")
    var names: [String] = []
    var takesAll = false
    var words = words.makeIterator()
    while let word = words.next() {
      switch word {
      case "--only": names.append(try Self.value(words.next(), of: word))
      case "--rounds": rounds = try Self.number(words.next(), of: word, from: Self.fewestRounds)
      case "--wait": patience = .seconds(try Self.number(words.next(), of: word, from: 0))
      case "--format": format = try Self.format(words.next())
      case "--all": takesAll = true
      case "--save": saves = true
      case "--alone": isAlone = true
      case "--help": wantsHelp = true
      default: throw BenchError.usage("'\(word)' is not understood\n\n\(Self.help)")
      }
    }
    if !takesAll { try choose(names) }
  }

  private mutating func choose(_ names: [String]) throws {
    for name in names where !jobs.contains(where: { $0.name.hasPrefix(name) }) {
      throw BenchError.usage("there is no job '\(name)'\n\n\(Self.help)")
    }
    jobs.removeAll { job in
      names.isEmpty ? job.isLong : !names.contains(where: job.name.hasPrefix)
    }
  }

  private static func value(_ word: String?, of flag: String) throws -> String {
    guard let word else { throw BenchError.usage("\(flag) needs a value") }
    return word
  }

  private static func number(_ word: String?, of flag: String, from least: Int) throws -> Int {
    guard let number = Int(try value(word, of: flag)), number >= least, number <= 100_000 else {
      throw BenchError.usage("\(flag) takes a number from \(least)")
    }
    return number
  }

  private static func format(_ word: String?) throws -> Format {
    guard let format = Format(rawValue: try value(word, of: "--format")) else {
      throw BenchError.usage("--format takes text, markdown or json")
    }
    return format
  }
}
