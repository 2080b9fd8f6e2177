// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "Train",
  dependencies: [.package(name: "tensorio", path: "../../..")],
  targets: [
    .executableTarget(
      name: "Train",
      dependencies: [
        .product(name: "TensorIO", package: "tensorio"),
        .product(name: "TensorIOData", package: "tensorio"),
      ])
  ]
)
