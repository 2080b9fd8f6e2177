// swift-tools-version: 6.2
import PackageDescription

// A package like a user's: it depends on TensorIO and sets no flags. That it builds shows that
// TensorIO's manifest needs none either.
let package = Package(
  name: "PackageConsumer",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "TensorIO", path: "../..")],
  targets: [
    .executableTarget(
      name: "consumer", dependencies: [.product(name: "TensorIO", package: "TensorIO")])
  ]
)
