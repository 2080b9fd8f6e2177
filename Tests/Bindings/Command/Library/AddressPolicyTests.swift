import Testing

@testable import TensorIOCommand

/// The addresses from which clients of a server may make it download.
@Suite struct AddressPolicyTests {
  @Test(arguments: [
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.255.255", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.8", "192.168.0.1", "198.18.0.1", "224.0.0.1",
    "255.255.255.255", "::", "::1", "::7f00:1", "::ffff:10.0.0.1", "fc00::1", "fd12::1", "fe80::1",
    "ff02::1", "2001:db8::1", "64:ff9b::7f00:1", "2002:7f00:1::", "2001:0:1::",
  ])
  func `Addresses of this machine and of private networks are not public`(_ text: String) throws {
    let address = try #require(HostResolver.addresses(of: text).first)
    #expect(!address.isPublic)
  }

  @Test(arguments: [
    "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.1.1.1",
    "172.15.0.1", "172.32.0.1", "192.167.1.1", "223.255.255.255", "2606:4700::1111",
    "::ffff:1.1.1.1", "64:ff9b::101:101", "2002:101:101::",
  ])
  func `Others are public`(_ text: String) throws {
    let address = try #require(HostResolver.addresses(of: text).first)
    #expect(address.isPublic)
  }

  @Test func `curl connects to the checked addresses only`() throws {
    let policy = AddressPolicy.publicOnly(trusted: "hub.example:8080")
    let url = try #require(DownloadURL("http://1.1.1.1/a"))
    #expect(
      try policy.connectionArguments(of: url)
        == ["--noproxy", "*", "--resolve", "1.1.1.1:80:1.1.1.1"])
    let six = try #require(DownloadURL("https://[2606:4700::1111]/a"))
    #expect(
      try policy.connectionArguments(of: six).last
        == "2606:4700::1111:443:[2606:4700:0:0:0:0:0:1111]")
    let trusted = try #require(DownloadURL("http://hub.example:8080/x"))
    #expect(try policy.connectionArguments(of: trusted) == [])
    #expect(try AddressPolicy.any.connectionArguments(of: url) == [])
    let name = try #require(DownloadURL("http://no-such-host.invalid/a"))
    #expect(throws: (any Error).self) { try policy.connectionArguments(of: name) }
  }

  @Test(arguments: [
    ("http://Host.example/a?b=c#d", "http://host.example:80/a?b=c"),
    ("HTTPS://host:8443", "https://host:8443/"), ("http://h?x", "http://h:80/?x"),
    ("http://[::1]:81/a", "http://[::1]:81/a"),
  ])
  func `A URL has one form`(_ text: String, _ canonical: String) {
    #expect(DownloadURL(text)?.text == canonical)
  }

  @Test(arguments: [
    "ftp://host/a", "http:host", "http://user@host/", "http://user:pass@host/", "http://ho st/",
    "http://host\\@other/", "http://host:0/", "http://host:65536/", "http://h\u{E4}st/",
    "http://[::1%25eth0]/", "http:///a", "http://host/\"a", "file:///etc/passwd", "",
  ])
  func `Other URLs are rejected`(_ text: String) {
    #expect(DownloadURL(text) == nil)
  }

  @Test(arguments: [
    ("/b", "http://h:80/b"), ("b", "http://h:80/a/b"), ("//o/b", "http://o:80/b"),
    ("https://o/b", "https://o:443/b"), ("file:///etc/passwd", nil),
  ])
  func `Redirections are relative to a URL`(_ location: String, _ target: String?) throws {
    let url = try #require(DownloadURL("http://h/a/c?q=/x"))
    #expect(url.redirected(to: location)?.text == target)
  }
}
