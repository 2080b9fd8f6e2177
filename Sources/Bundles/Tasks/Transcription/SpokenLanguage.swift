#if Everything
  /// The languages of speech models, in the order of their tokens.
  package enum SpokenLanguage {
    /// The codes and the names of the languages; the first 99 are those of the older vocabularies.
    static let all: [(code: String, name: String)] = list.split(separator: ",").map { entry in
      let parts = entry.split(separator: " ", maxSplits: 1)
      return (String(parts[0]), String(parts[1]))
    }

    /// Returns the name of a language, such as `english`; the code itself for an unknown one.
    package static func name(of code: String) -> String {
      all.first { $0.code == code }?.name ?? code
    }

    /// Returns the code of a language with a code or a name, such as `en` or `English`; `nil` for an unknown one.
    package static func code(of text: String) -> String? {
      let text = text.lowercased()
      return all.first { $0.code == text || $0.name == text }?.code
    }

    private static let list = """
      en english,zh chinese,de german,es spanish,ru russian,ko korean,fr french,ja japanese,pt portuguese,tr turkish,\
      pl polish,ca catalan,nl dutch,ar arabic,sv swedish,it italian,id indonesian,hi hindi,fi finnish,vi vietnamese,\
      he hebrew,uk ukrainian,el greek,ms malay,cs czech,ro romanian,da danish,hu hungarian,ta tamil,no norwegian,\
      th thai,ur urdu,hr croatian,bg bulgarian,lt lithuanian,la latin,mi maori,ml malayalam,cy welsh,sk slovak,\
      te telugu,fa persian,lv latvian,bn bengali,sr serbian,az azerbaijani,sl slovenian,kn kannada,et estonian,\
      mk macedonian,br breton,eu basque,is icelandic,hy armenian,ne nepali,mn mongolian,bs bosnian,kk kazakh,\
      sq albanian,sw swahili,gl galician,mr marathi,pa punjabi,si sinhala,km khmer,sn shona,yo yoruba,so somali,\
      af afrikaans,oc occitan,ka georgian,be belarusian,tg tajik,sd sindhi,gu gujarati,am amharic,yi yiddish,lo lao,\
      uz uzbek,fo faroese,ht haitian creole,ps pashto,tk turkmen,nn nynorsk,mt maltese,sa sanskrit,lb luxembourgish,\
      my myanmar,bo tibetan,tl tagalog,mg malagasy,as assamese,tt tatar,haw hawaiian,ln lingala,ha hausa,ba bashkir,\
      jw javanese,su sundanese,yue cantonese
      """
  }
#endif
