import Foundation
import TensorIOJSON

/// `tokenizing FOLDER TEXT`: measures the tokenizers of a folder with fixtures on the lines of a text, and on those of
/// `lines.txt`.

func contents(_ path: String) throws -> [UInt8] {
  [UInt8](try Data(contentsOf: URL(filePath: path)))
}

func lines(_ path: String) throws -> [[UInt8]] {
  try contents(path).split(separator: UInt8(ascii: "\n")).map(Array.init)
}

func processorSeconds() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

let folder = CommandLine.arguments[1]
let model = try SentencePieceModel(try contents("\(folder)/unigram.model"))
let rules = Data(model.bytes[model.charsmap]).base64EncodedString()

/// Returns the tokenizer of a file, with the normalization rules of the model that it names.
func tokenizer(_ name: String) throws -> any Tokenizer {
  let file = try contents("\(folder)/\(name)")
  switch name {
  case _ where name.hasSuffix(".model"): return try SentencePieceTokenizer(model: file)
  case _ where name.hasSuffix(".txt"): return try WordPieceTokenizer(vocabulary: file)
  default:
    let text = String(decoding: file, as: UTF8.self)
    return try TokenizerFile.tokenizer(
      Array(text.replacingOccurrences(of: "unigram.model", with: rules).utf8))
  }
}

/// Returns the megabytes per second of the fastest of seven repetitions.
func rate(_ tokenizer: any Tokenizer, _ lines: [[UInt8]]) throws -> Double {
  var best = Double.infinity
  for _ in 0..<7 {
    let start = processorSeconds()
    for line in lines { _ = try tokenizer.tokenize(line) }
    best = min(best, processorSeconds() - start)
  }
  return Double(lines.reduce(0) { $0 + $1.count + 1 }) / best / 1e6
}

let english = try lines(CommandLine.arguments[2])
let mixed = try lines("\(folder)/lines.txt")
print("| vocabulary | English | mixed scripts |\n| --- | --- | --- |")
for name in [
  "wordpiece.txt", "byte-level.json", "unigram.model", "unigram-bytes.model", "unigram-t5.json",
  "unigram-xlm-roberta.json", "unigram-albert.json", "unigram-fallback.json", "bpe.model",
  "characters.model", "pairs-llama.json", "pairs-words.json", "words.json", "wordpiece-steps.json",
  "bytes-smollm.json", "bytes-llama3.json", "bytes-gpt4o.json", "bytes-falcon.json",
  "bytes-clip.json", "pairs-gemma.json",
] {
  let tokenizer = try tokenizer(name)
  let rates = try [english, mixed].map { try rate(tokenizer, $0).rounded() }
  print("| \(name) | \(Int(rates[0])) MB/s | \(Int(rates[1])) MB/s |")
}
