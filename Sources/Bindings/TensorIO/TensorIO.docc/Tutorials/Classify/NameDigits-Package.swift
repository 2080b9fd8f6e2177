// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "NameDigits",
  dependencies: [.package(path: "../tensorio")],
  targets: [
    .executableTarget(
      name: "NameDigits",
      dependencies: [
        .product(name: "TensorIO", package: "tensorio")
      ])
  ]
)
