/// The full forms of contractions, titles and hesitations in English texts.
enum EnglishContractions {
  /// Returns a text in lower case with contractions and titles in full, and without hesitations.
  static func expanded(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var text = mappingWords(scalars) { hesitations.contains($0) ? "" : nil }
    guard text.contains("'") else { return mappingWords(text) { words[$0] } }
    text = joiningApostrophes(text)
    for (find, replacement) in contractions {
      text = replacing(find, by: replacement, startsWord: true, in: text)
    }
    text = mappingWords(text) { words[$0] }
    for (find, replacement) in endings {
      text = replacing(find, by: replacement, startsWord: false, in: text)
    }
    return text
  }

  private static let hesitations: Set = ["hmm", "mm", "mhm", "mmm", "uh", "um"]

  /// Contractions that are whole words.
  private static let contractions = pairs(
    "won't=will not,can't=can not,let's=let us,ain't=aint,y'all=you all,i'ma=i am going to,ma'am=madam"
  )

  /// Words without an apostrophe: contractions, and titles, which are followed by a space.
  private static let words: [String: String] = {
    let contractions = pairs(
      "wanna=want to,gotta=got to,gonna=going to,imma=i am going to,woulda=would have,coulda=could have,shoulda=should have"
    )
    let titles = pairs(
      """
      mr=mister,mrs=missus,st=saint,dr=doctor,prof=professor,capt=captain,gov=governor,ald=alderman,gen=general,\
      sen=senator,rep=representative,pres=president,rev=reverend,hon=honorable,asst=assistant,assoc=associate,\
      lt=lieutenant,col=colonel,jr=junior,sr=senior,esq=esquire
      """)
    return Dictionary(uniqueKeysWithValues: contractions + titles.map { ($0, $1 + " ") })
  }()

  /// Ends of words, in the order in which they are replaced.
  private static let endings = pairs(
    """
    'd been= had been,'s been= has been,'d gone= had gone,'s gone= has gone,'d done= had done,'s got= has got,\
    n't= not,'re= are,'s= is,'d= would,'ll= will,'t= not,'ve= have,'m= am
    """)

  private static func pairs(_ list: String) -> [(String, String)] {
    list.split(separator: ",").compactMap { pair in
      let parts = pair.split(separator: "=")
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
  }

  /// Returns the text without spaces before apostrophes.
  private static func joiningApostrophes(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
    var result: [Unicode.Scalar] = []
    for scalar in scalars {
      if scalar == "'" { while result.last?.isSpace ?? false { result.removeLast() } }
      result.append(scalar)
    }
    return result
  }

  /// Returns the text with other texts in place of words; a word ends at an apostrophe.
  static func mappingWords(
    _ scalars: [Unicode.Scalar], _ replacement: (String) -> String?
  ) -> [Unicode.Scalar] {
    var result: [Unicode.Scalar] = []
    var index = 0
    while index < scalars.count {
      let end = scalars[index...].firstIndex { !$0.isInWord } ?? scalars.count
      if end > index {
        var word = String.UnicodeScalarView()
        word.append(contentsOf: scalars[index..<end])
        if let replacement = replacement(String(word)) {
          result += replacement.unicodeScalars
        } else {
          result += scalars[index..<end]
        }
      }
      if end < scalars.count { result.append(scalars[end]) }
      index = end + 1
    }
    return result
  }

  /// Returns the text with another text in place of one that ends with a word.
  private static func replacing(
    _ text: String, by replacement: String, startsWord: Bool, in scalars: [Unicode.Scalar]
  ) -> [Unicode.Scalar] {
    let find = Array(text.unicodeScalars)
    var result: [Unicode.Scalar] = []
    var index = 0
    while index < scalars.count {
      let end = index + find.count
      if scalars[index] == find[0], end <= scalars.count, Array(scalars[index..<end]) == find,
        end == scalars.count || !scalars[end].isInWord,
        !startsWord || index == 0 || !scalars[index - 1].isInWord
      {
        result += replacement.unicodeScalars
        index = end
      } else {
        result.append(scalars[index])
        index += 1
      }
    }
    return result
  }
}
