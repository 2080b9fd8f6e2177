/// The decoders of `Scripts/fixtures/tiny-models/decoders.py`, whose tokens are the letters from a to k and the end of a text.
public enum DecoderOfLetters {
  /// The contents of `tokenizer.json`.
  public static let tokenizer: String = {
    let letters = "abcdefghijk".enumerated().map { "\"\($1)\": \($0)" }.joined(separator: ", ")
    return """
      {"added_tokens": [{"id": 11, "content": "<end>", "special": true}],
       "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": false}, "decoder": {"type": "ByteLevel"},
       "model": {"type": "BPE", "vocab": {\(letters)}, "merges": []}}
      """
  }()
}
