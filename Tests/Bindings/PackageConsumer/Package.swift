// swift-tools-version: 6.3
import PackageDescription

// A package like a user's, which depends on TensorIO and sets no flags. It verifies that
// TensorIO's manifest needs none.
let package = Package(
  name: "PackageConsumer",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "TensorIO", path: "../../..")],
  targets: [
    .executableTarget(
      name: "consumer", dependencies: [.product(name: "TensorIO", package: "TensorIO")])
  ]
)
