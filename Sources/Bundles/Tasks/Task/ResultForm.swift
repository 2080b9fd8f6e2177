/// A form of results that data and other steps of a chain understand, whatever the task is.
@nonexhaustive
public enum ResultForm: Sendable, Hashable {
  /// Boxes around objects.
  case boxes
  /// The pixels of objects.
  case outlines
  /// The keypoints of people or other objects.
  case keypoints
  /// Boxes around objects that can be followed over the frames of a video.
  case tracks
  /// The class of each pixel.
  case pixels
  /// Vectors that tell whether two images show the same thing.
  case pairs
  /// Vectors that are near to each other for inputs with the same label.
  case identities
  /// Texts, the best first.
  case texts
  /// Labeled sections of texts.
  case sections
  /// Lines of text with their outlines, which may have been read.
  case lines
  /// The text of an image of one line.
  case line
  /// What was said in a recording.
  case transcript
  /// Words that a model knows, with the times at which a recording has them.
  case keywords
  /// Texts that continue a prompt, with their probabilities.
  case continuations
}
