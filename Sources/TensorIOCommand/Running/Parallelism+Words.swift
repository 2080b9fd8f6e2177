internal import TensorIOCore

extension Parallelism {
  /// The split for words of a command line, of which folders and patterns stand for many items.
  init(words: [String], batch: String?, threads: Int?) {
    let items = words.reduce(0) { $0 + (PictureSet($1)?.paths.count ?? 1) }
    self.init(items: batch == nil ? items : .max, threads: threads)
  }
}
