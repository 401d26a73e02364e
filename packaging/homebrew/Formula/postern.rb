# Postern without a window: `brew services start postern` serves at login. The app is the cask of the same name.
class Postern < Formula
  desc "Decides what AI agents may run, without a window"
  homepage "https://github.com/postern/postern"
  url "https://github.com/postern/postern/releases/download/v0.1.0/postern-0.1.0-macos.tar.gz"
  version "0.1.0"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000" # a release's workflow writes it
  license any_of: ["MIT", "Apache-2.0"]

  depends_on :macos
  depends_on macos: :ventura

  def install
    bin.install "MacOS/postern", "MacOS/postern-run"
    (pkgshare/"linux").install Dir["Resources/linux/*"]
    generate_completions_from_executable(bin/"postern", "completions")
  end

  service do
    run [opt_bin/"postern", "serve"]
    keep_alive successful_exit: false
    process_type :interactive
    error_log_path var/"log/postern.log"
  end

  def caveats
    <<~TEXT
      Connect the agents on this Mac:  brew services start postern && postern setup
      Before you uninstall it:         postern uninstall
    TEXT
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/postern --version")
    cases = testpath/"cases.jsonl"
    cases.write <<~JSON
      {"id":"1","argv":["/usr/bin/true"],"expect":"ask"}
    JSON
    assert_match "1 passed", shell_output("#{bin}/postern policy test #{cases}")
  end
end
