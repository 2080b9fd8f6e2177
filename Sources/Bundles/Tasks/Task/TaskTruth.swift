/// A kind of ground truth that data have.
@nonexhaustive
public enum TaskTruth: Sendable, Hashable {
  /// Boxes around objects.
  case boxes
  /// The outlines of objects.
  case outlines
  /// The keypoints of people or other objects.
  case keypoints
  /// The boxes of objects in the frames of videos.
  case tracks
  /// The class of each pixel.
  case pixels
  /// Pairs of images that show the same or different things.
  case pairs
  /// Labels of images or other inputs, which inputs with the same label share.
  case identities
  /// Texts, any of which is correct.
  case texts
  /// Labeled sections of texts.
  case sections
}
