// swift-tools-version: 6.3
import PackageDescription

// A separate package, so that TensorIO does not depend on its peers. It links to the runtimes that
// `peers/setup.sh` downloads; `Scripts/measure/bench` builds it.

let strict: [SwiftSetting] = [
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("ExistentialAny"),
]

let peers = Context.packageDirectory + "/.peers"
let libraries = peers + "/lib"

/// How to link to what `peers/setup.sh` fetched.
func links(_ names: String...) -> [LinkerSetting] {
  names.map { .unsafeFlags(["\(libraries)/\($0)"]) }
    + [.unsafeFlags(["-Xlinker", "-rpath", "-Xlinker", libraries])]
}

let package = Package(
  name: "Benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "TensorIO", path: "..")],
  targets: [
    .target(
      name: "CLiteRTFloor",
      cSettings: [.headerSearchPath(".")],
      linkerSettings: links("libLiteRt.so")),
    .target(
      name: "CTensorFlowFloor",
      cSettings: [.unsafeFlags(["-I\(peers)/tensorflow"])],
      linkerSettings: links("libtensorflow_cc.so.2", "libtensorflow_framework.so.2")),
    .target(name: "CTaskFloor", cSettings: [.unsafeFlags(["-O3"])]),
    .target(
      name: "CResultRunner",
      dependencies: [.product(name: "TensorIOC", package: "TensorIO")],
      cSettings: [
        .unsafeFlags(["-I\(Context.packageDirectory)/../Sources/Bindings/CTensorIO/include"])
      ]),
    .target(name: "CONNXFloor", linkerSettings: [.linkedLibrary("dl")]),
    .executableTarget(
      name: "tensorio-bench",
      dependencies: [
        "CLiteRTFloor", "CTensorFlowFloor", "CONNXFloor", "CTaskFloor",
        "CResultRunner",
        .product(name: "TensorIO", package: "TensorIO"),
        .product(name: "TensorIOImage", package: "TensorIO"),
        .product(name: "TensorIOLiteRT", package: "TensorIO"),
        .product(name: "TensorIOTasks", package: "TensorIO"),
      ],
      swiftSettings: strict),
  ]
)
