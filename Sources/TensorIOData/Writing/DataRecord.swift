/// A picture and what is known of it, to be written.
public struct DataRecord: Sendable, Hashable {
  /// Where the picture lies.
  public var picture: String
  /// What the picture shows as a whole, as indexes of labels.
  public var labels: [Int]
  /// What is where in the picture.
  public var boxes: [AnnotatedBox]
  /// What the picture is set apart for.
  public var part: DataPart?

  /// A picture with labels, boxes or neither.
  public init(
    picture: String, labels: [Int] = [], boxes: [AnnotatedBox] = [], part: DataPart? = nil
  ) {
    self.picture = picture
    self.labels = labels
    self.boxes = boxes
    self.part = part
  }
}

/// A form in which records are written.
public enum DataFormat: String, Sendable, Hashable, CaseIterable {
  /// A folder of pictures per label.
  case labelledFolder = "folder"
  /// A table with a picture and its label per row.
  case csv
  /// AutoML's table, with a box per row.
  case autoML = "automl"
  /// COCO's instances.
  case coco
  /// An object per line, with a picture and its label or its boxes.
  case ndjson
}
