// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "LearnDigits",
  dependencies: [.package(path: "../tensorio")],
  targets: [
    .executableTarget(
      name: "LearnDigits",
      dependencies: [
        .product(name: "TensorIO", package: "tensorio"),
        .product(name: "TensorIOData", package: "tensorio"),
      ])
  ]
)
