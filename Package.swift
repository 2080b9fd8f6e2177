// swift-tools-version: 6.2

import PackageDescription

// The layers of Documentation/ARCHITECTURE.md, bottom up. `Scripts/lint-imports` reads this table
// as text and checks every import of every file against it, so a dependency is declared here or
// it does not exist.

/// Every Swift target builds with these.
let strict: [SwiftSetting] = [
  .strictMemorySafety(),  // unsafe code says `unsafe`, so that it can be found and confined
  .treatAllWarnings(as: .error),
  .enableUpcomingFeature("InternalImportsByDefault"),  // an import cannot leak into public API
  .enableUpcomingFeature("MemberImportVisibility"),  // …nor can its members
  .enableUpcomingFeature("ExistentialAny"),
]

/// A Swift target of the library.
func library(_ name: String, uses: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: uses, swiftSettings: strict)
}

/// A C target: declarations, a table of functions looked up at run time, and shims.
func c(
  _ name: String, uses: [Target.Dependency] = [], besides: [String] = [], links: [String] = []
) -> Target {
  .target(
    name: name, dependencies: uses, exclude: besides,
    linkerSettings: links.map { .linkedLibrary($0) })
}

/// A suite of tests, in the folder of the same name.
func tests(
  _ name: String, of uses: [Target.Dependency], besides data: [String] = []
) -> Target {
  .testTarget(
    name: name, dependencies: uses + ["TensorIOTestSupport"], path: "Tests/\(name)",
    exclude: data, swiftSettings: strict)
}

let package = Package(
  name: "TensorIO",
  platforms: [.macOS(.v15), .iOS(.v18)],
  products: [
    .library(name: "TensorIO", targets: ["TensorIO"]),
    .library(name: "TensorIOLiteRT", targets: ["TensorIOLiteRT"]),
    .library(name: "TensorIOTensorFlow", targets: ["TensorIOTensorFlow"]),
    .library(name: "TensorIOTasks", targets: ["TensorIOTasks"]),
    .library(name: "TensorIOImage", targets: ["TensorIOImage"]),
    .library(name: "TensorIOData", targets: ["TensorIOData"]),
    .library(name: "TensorIODrawing", targets: ["TensorIODrawing"]),
    .library(name: "TensorIOEvaluation", targets: ["TensorIOEvaluation"]),
    .executable(name: "tensorio", targets: ["tensorio"]),
    .executable(name: "tensorio-worker", targets: ["tensorio-worker"]),
  ],
  targets: [
    // 0: C
    c("CFunctionTable", links: ["dl"]),
    c("CLiteRT", uses: ["CFunctionTable"]),
    c("CTensorFlow", uses: ["CFunctionTable"]),
    c("CCairo", uses: ["CFunctionTable"]),
    c("CArchive", uses: ["CFunctionTable"]),
    c("CSQLite", uses: ["CFunctionTable"]),
    c("CSodium", uses: ["CFunctionTable"]),
    c("CWebP", uses: ["CFunctionTable"]),
    c("CPixelKernels"),
    c("CSHA256"),
    c("CStudioPage", besides: ["Page", "File.inc"]),
    c("CEventPoll"),
    c("CIsolation"),
    .systemLibrary(
      name: "CTurboJPEG", pkgConfig: "libturbojpeg", providers: [.apt(["libturbojpeg0-dev"])]),
    .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
    // 0: the operating system
    library("TensorIOSystem", uses: ["CSHA256"]),
    // 1: pixels
    library(
      "TensorIOImage", uses: ["TensorIOSystem", "CTurboJPEG", "CPNG", "CWebP", "CPixelKernels"]),
    library("TensorIODrawing", uses: ["TensorIOImage", "TensorIOSystem", "CCairo"]),
    // 1: archives
    library("TensorIOArchive", uses: ["TensorIOSystem", "CArchive"]),
    // 1: signatures
    library("TensorIOIntegrity", uses: ["TensorIOSystem", "CSodium"]),
    // 1: databases
    library("TensorIOStore", uses: ["TensorIOSystem", "CSQLite"]),
    // 2: the pipeline
    library("TensorIOCore", uses: ["TensorIOImage", "TensorIOSystem"]),
    // 3: runtimes
    library(
      "TensorIOLiteRT", uses: ["TensorIOCore", "TensorIOImage", "TensorIOSystem", "CLiteRT"]),
    library("TensorIOTensorFlow", uses: ["TensorIOCore", "TensorIOSystem", "CTensorFlow"]),
    // 3: models in processes of their own
    library("TensorIOIsolation", uses: ["TensorIOCore", "TensorIOSystem", "CIsolation"]),
    // 3: answers
    library("TensorIOTasks", uses: ["TensorIOCore", "TensorIOImage"]),
    // 3: data to train with and to judge by
    library("TensorIOData", uses: ["TensorIOCore", "TensorIOImage", "TensorIOSystem"]),
    // 4: what an application imports
    library(
      "TensorIO",
      uses: [
        "TensorIOCore", "TensorIOImage", "TensorIOLiteRT", "TensorIOTensorFlow", "TensorIOTasks",
        "TensorIOArchive", "TensorIOIntegrity", "TensorIOIsolation", "TensorIOSystem",
      ]),
    // 4: what runs in such a process
    library(
      "TensorIOWorker",
      uses: ["TensorIOCore", "TensorIOIsolation"]),
    // 4: how good a model is
    library(
      "TensorIOEvaluation",
      uses: ["TensorIOCore", "TensorIOImage", "TensorIOTasks", "TensorIOData", "TensorIOSystem"]),
    // 4: what is told of an answer
    library(
      "TensorIOAnswers",
      uses: ["TensorIOCore", "TensorIOImage", "TensorIOTasks", "TensorIODrawing"]),
    // 4: models for whoever asks over HTTP
    library(
      "TensorIOServer",
      uses: [
        "TensorIOCore", "TensorIOImage", "TensorIOTasks", "TensorIOAnswers", "TensorIOSystem",
        "CEventPoll",
      ]),
    // 5: a page on which models are tried
    library(
      "TensorIOStudio",
      uses: [
        "TensorIO", "TensorIOServer", "TensorIOEvaluation", "TensorIOData", "TensorIOAnswers",
        "TensorIOCore", "TensorIOImage", "TensorIOTasks", "TensorIOSystem", "CStudioPage",
      ]),
    // 5: the command line as a library
    library(
      "TensorIOCommand",
      uses: [
        "TensorIO", "TensorIOCore", "TensorIOData", "TensorIOImage", "TensorIOLiteRT",
        "TensorIOTensorFlow", "TensorIOTasks", "TensorIODrawing", "TensorIOArchive",
        "TensorIOIntegrity", "TensorIOEvaluation", "TensorIOStore", "TensorIOAnswers",
        "TensorIOIsolation",
        "TensorIOServer", "TensorIOStudio", "TensorIOSystem",
      ]),
    // 6: executables
    .executableTarget(
      name: "tensorio", dependencies: ["TensorIOCommand"], swiftSettings: strict),
    .executableTarget(
      name: "tensorio-worker",
      dependencies: [
        "TensorIOWorker", "TensorIOCore", "TensorIOIsolation", "TensorIOLiteRT",
        "TensorIOTensorFlow",
      ], swiftSettings: strict),

    .target(
      name: "TensorIOTestSupport",
      dependencies: ["TensorIOCore", "TensorIOImage", "TensorIOCommand"],
      path: "Tests/TensorIOTestSupport", swiftSettings: strict),
    tests("TensorIOImageTests", of: ["TensorIOImage", "CPixelKernels"]),
    tests("TensorIODrawingTests", of: ["TensorIODrawing", "TensorIOImage"]),
    tests("TensorIOArchiveTests", of: ["TensorIOArchive", "TensorIOSystem"]),
    tests("TensorIOIntegrityTests", of: ["TensorIOIntegrity"]),
    tests("TensorIOStoreTests", of: ["TensorIOStore"]),
    tests("TensorIOCoreTests", of: ["TensorIOCore", "TensorIOImage", "TensorIOSystem"]),
    tests("TensorIODataTests", of: ["TensorIOData", "TensorIOCore", "TensorIOImage"]),
    tests(
      "TensorIOLiteRTTests",
      of: ["TensorIOLiteRT", "TensorIOCore", "TensorIOImage", "TensorIOSystem"]),
    tests(
      "TensorIOTensorFlowTests", of: ["TensorIOTensorFlow", "TensorIOCore", "TensorIOSystem"]),
    tests("TensorIOTasksTests", of: ["TensorIOTasks", "TensorIOCore", "TensorIOImage"]),
    tests(
      "TensorIOIsolationTests",
      of: [
        "TensorIOIsolation", "TensorIO", "TensorIOCore", "TensorIOImage", "TensorIOLiteRT",
        "TensorIOTensorFlow", "TensorIOSystem", "tensorio-worker",
      ]),
    tests(
      "TensorIOEvaluationTests",
      of: [
        "TensorIOEvaluation", "TensorIO", "TensorIOCore", "TensorIOData", "TensorIOImage",
        "TensorIOTasks",
      ]),
    tests(
      "TensorIOConformanceTests", of: ["TensorIO", "TensorIOCore", "TensorIOImage"],
      besides: ["Cases"]),
    tests(
      "TensorIOCommandTests",
      of: [
        "TensorIOCommand", "TensorIO", "TensorIOCore", "TensorIOImage", "TensorIOLiteRT",
        "TensorIOStore", "TensorIOAnswers", "TensorIOArchive", "TensorIOSystem", "tensorio",
        "tensorio-worker",
      ]),
    tests(
      "TensorIOServerTests",
      of: [
        "TensorIOServer", "TensorIO", "TensorIOCore", "TensorIOImage", "TensorIOIsolation",
        "TensorIOSystem", "tensorio-worker",
      ]),
    tests(
      "TensorIOStudioTests",
      of: [
        "TensorIOStudio", "TensorIOServer", "TensorIOCommand", "TensorIO", "TensorIOCore",
        "TensorIOImage", "TensorIOData", "TensorIOEvaluation", "TensorIOSystem",
      ]),
    tests(
      "TensorIOFuzzTests",
      of: [
        "TensorIOArchive", "TensorIOCommand", "TensorIOCore", "TensorIOData", "TensorIOEvaluation",
        "TensorIOImage", "TensorIOIntegrity", "TensorIOIsolation", "TensorIOLiteRT",
        "TensorIOServer", "TensorIOStudio", "TensorIOSystem", "TensorIOTasks", "TensorIOTensorFlow",
      ]),
    tests("ConsumerProbe", of: ["TensorIO"]),
  ]
)

// For `Scripts/fuzz`, which links a fuzzer to it: what `TensorIOFuzzTests` reads with, as a library.
if Context.environment["TENSORIO_FUZZING"] != nil {
  let readers = package.targets.filter { $0.name == "TensorIOFuzzTests" }.flatMap(\.dependencies)
  package.targets.removeAll(where: \.isTest)
  package.targets.append(
    .target(
      name: "TensorIOFuzzing", dependencies: readers, path: "Tests/TensorIOFuzzTests/Readers",
      swiftSettings: strict))
  package.products.append(
    .library(name: "TensorIOFuzzing", type: .static, targets: ["TensorIOFuzzing"]))
}
