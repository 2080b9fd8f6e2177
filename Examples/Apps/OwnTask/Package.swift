// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "OwnTask",
  dependencies: [.package(name: "tensorio", path: "../../..")],
  targets: [
    .executableTarget(
      name: "OwnTask",
      dependencies: [
        .product(name: "TensorIO", package: "tensorio"),
        .product(name: "TensorIOCommand", package: "tensorio"),
        .product(name: "TensorIOEvaluation", package: "tensorio"),
      ])
  ]
)
