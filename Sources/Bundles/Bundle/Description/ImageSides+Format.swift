import TensorIOImage

extension ImageSides {
  /// The keys of `size`.
  static let format = ObjectFormat("size", schema: "imageSides", ImageSides()) {
    Field(
      "min", \.minimum, length, default: 1,
      "The shortest length of an open side; with two of them, shorter images are enlarged first.")
    Field(
      "max", \.maximum, length, default: ImageLimits.maxSide,
      "The greatest length of an open side; with two of them, longer images are reduced first.")
    Field("multiple", \.multiple, length, default: 1, "The number that lengths are multiples of.")
    Field("shorter", \.shorter, length, "The shorter side that smaller images are enlarged to.")
      .otherwise("none are").example("736")
    Field("longer", \.longer, length, "The longer side that larger images are reduced to.")
      .otherwise("none are").example("960")
    Field(
      "exact", \.isExact, .boolean, default: false,
      "Whether larger images are reduced to `shorter`, too, unless the longer side would exceed `longer`."
    )
    Field(
      "nearest", \.nearest, length,
      "The length of one side of all images: the one that changes less. It replaces `shorter` and `longer`."
    )
    .otherwise("none").example("384")
    Field(
      "bars", \.barRatio, .preciseNumber(in: .positive),
      "The ratio of width to height from which images have bars above and below, of the color `pad`."
    )
    .otherwise("none have").example("8")
  }

  private static var length: ValueFormat<Int> { .integer(1...ImageLimits.maxSide) }
}
