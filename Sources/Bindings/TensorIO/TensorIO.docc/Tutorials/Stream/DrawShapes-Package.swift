// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "DrawShapes",
  dependencies: [.package(path: "../tensorio")],
  targets: [
    .executableTarget(
      name: "DrawShapes",
      dependencies: [
        .product(name: "TensorIO", package: "tensorio"),
        .product(name: "TensorIODrawing", package: "tensorio"),
      ])
  ]
)
