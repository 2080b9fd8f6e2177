// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "CountStream",
  dependencies: [.package(name: "tensorio", path: "../../..")],
  targets: [
    .executableTarget(
      name: "CountStream",
      dependencies: [
        .product(name: "TensorIO", package: "tensorio"),
        .product(name: "TensorIODrawing", package: "tensorio"),
      ])
  ]
)
