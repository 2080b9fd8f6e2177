#if Everything
  import TensorIOBundle
  import TensorIOCore
  import TensorIOSystem

  /// The program `espeak-ng`, which makes phonemes of texts of many languages.
  ///
  /// It has the license GPL-3: it is run, and neither linked nor shipped.
  struct ESpeakProgram {
    private static let name = "espeak-ng"
    private static let timeout = Duration.seconds(30)
    private static let maxOutputBytes = 16 << 20
    /// Words that no text has, one of which separates the clauses of a call.
    private static let separators = ["zqx", "qzx", "xqz", "zxq", "xzq"]

    private let language: String

    /// - Throws: A ``ModelError`` if the language cannot be that of a voice.
    init(language: String) throws(ModelError) {
      try Self.check(language: language)
      self.language = language
    }

    /// Throws an error if a language cannot be the name of a voice, such as an option or a path.
    static func check(language: String) throws(ModelError) {
      let isName = language.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
          UInt8(ascii: "_"):
          true
        default: false
        }
      }
      guard isName, let first = language.utf8.first, first != UInt8(ascii: "-") else {
        throw ModelError(
          .input, .invalidValue("'\(language)' is no language; expected a code such as 'en-us'"))
      }
    }

    /// Returns the phonemes of clauses.
    ///
    /// A call of the program takes longer than the phonemes of a sentence, so there is one for all clauses.
    ///
    /// - Throws: A ``ModelError`` if the program is missing or fails.
    func phonemes(of clauses: [String]) throws(ModelError) -> [String] {
      guard !clauses.isEmpty else { return [] }
      // The program reads phonemes between these brackets, and a blank line ends a clause.
      let clauses = clauses.map { clause in
        clause.replacing("[[", with: " ").replacing("]]", with: " ")
          .split(whereSeparator: \.isWhitespace).joined(separator: " ")
      }
      let text = clauses.joined(separator: " ").lowercased()
      if clauses.count > 1, let separator = Self.separators.first(where: { !text.contains($0) }) {
        let lines = try lines(of: ([""] + clauses).joined(separator: "\n\n\(separator)\n\n"))
        // The first line is what the separator becomes.
        let groups = lines.dropFirst().split(
          separator: lines.first ?? "", omittingEmptySubsequences: false)
        if groups.count == clauses.count { return groups.map(Self.joined) }
      }
      return try clauses.map { (clause) throws(ModelError) in
        try Self.joined(lines(of: clause)[...])
      }
    }

    private func lines(of text: String) throws(ModelError) -> [String] {
      let arguments = ["-q", "--ipa", "-v", language, "--stdin"]
      let output = Subprocess.output(
        of: Self.name, arguments, input: Array(text.utf8), limit: Self.maxOutputBytes,
        timeout: Self.timeout)
      guard let output else {
        throw ModelError(
          .runtime,
          .unmetRequirement(
            "the phonemes of texts require the program 'espeak-ng' (license GPL-3), or a lexicon in the bundle; \(Self.remedy, as: "remedy")"
          ))
      }
      guard output.status == 0 else {
        let reason =
          output.errorLine
          ?? output.status.map { "it exited with status \($0)" } ?? "it did not end in time"
        throw ModelError(.run, .failed("espeak-ng failed: \(reason, as: "reason")"))
      }
      return String(decoding: output.bytes, as: UTF8.self)
        .split(separator: "\n").map { $0.trimmed }
    }

    #if os(macOS)
      private static let remedy = "install it with `brew install espeak-ng`"
    #else
      private static let remedy = "install it with `apt-get install espeak-ng`"
    #endif

    /// Returns lines as one text, without the names of languages to which the program changes.
    private static func joined(_ lines: ArraySlice<String>) -> String {
      var text = ""
      var name: String?
      for character in lines.joined(separator: " ") {
        switch (character, name) {
        case ("(", nil): name = "("
        case (")", let found?) where found.count > 1: name = nil
        case (let letter, let found?):
          if letter.isASCII, letter.isLowercase || letter == "-" {
            name = found + String(letter)
          } else {
            text += found + String(letter)
            name = nil
          }
        case (let letter, nil): text.append(letter)
        }
      }
      return (text + (name ?? "")).split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
  }
#endif
