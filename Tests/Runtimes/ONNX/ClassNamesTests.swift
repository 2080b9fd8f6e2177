import Testing

@testable import TensorIOONNX

@Suite struct ClassNamesTests {
  @Test(
    arguments: [
      (#"{0: 'cat', 1: "dog's", 2: 'bird'}"#, ["cat", "dog's", "bird"]),
      (#"{1:'b',0:'a'}"#, ["a", "b"]),
      (#"{"0": "x", "1": "y"}"#, ["x", "y"]),
      (
        #"{0: 'it\'s', 1: 'tab\there', 2: '\xe4\u0416', 3: 'ä',}"#,
        ["it's", "tab\there", "äЖ", "ä"]
      ),
      (" { 0 : 'a' } \n", ["a"]),
    ])
  func `Names are read in the order of their classes`(_ text: String, _ names: [String]) {
    #expect(ClassNames.parse(text) == names)
  }

  @Test(
    arguments: [
      "", "{}", "{0: 'a'", "{0: 'a}", "{1: 'a'}", "{0: 'a', 0: 'b'}", "{0: 'a', 2: 'b'}", "{0: 1}",
      "['a', 'b']", "{0: 'a'} {", "{-1: 'a'}", "{0: 'a\\", "{0: '\\q'}", "{0: '\\x4'}", "{,}",
      "{99999999999999999999: 'a'}",
    ])
  func `Text that is not a list of class names is rejected`(_ text: String) {
    #expect(ClassNames.parse(text) == nil)
  }
}
