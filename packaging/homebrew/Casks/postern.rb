cask "postern" do
  version "0.1.0"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000" # a release's workflow writes it

  url "https://github.com/postern/postern/releases/download/v#{version}/Postern-#{version}.dmg"
  name "Postern"
  desc "Decides what AI agents may run"
  homepage "https://github.com/postern/postern"

  depends_on macos: ">= :ventura"

  app "Postern.app"
  binary "#{appdir}/Postern.app/Contents/MacOS/postern"
  binary "#{appdir}/Postern.app/Contents/MacOS/postern-run"

  uninstall quit: "dev.postern.desktop"

  # An upgrade uninstalls as well, and `launchctl` deletes the agent that the user put into ~/Library/LaunchAgents.
  zap launchctl: "dev.postern.serve",
      trash:     [
        "~/.postern",
        "~/Library/Application Support/dev.postern.desktop",
        "~/Library/Application Support/Postern",
        "~/Library/Caches/dev.postern.desktop",
        "~/Library/Caches/postern",
        "~/Library/HTTPStorages/dev.postern.desktop",
        "~/Library/Preferences/dev.postern.desktop.plist",
        "~/Library/WebKit/dev.postern.desktop",
      ]

  # Not done by itself: it would also be done before each upgrade.
  caveats <<~TEXT
    Before you uninstall Postern, take its hooks out of your agents' settings:
      postern uninstall
  TEXT
end
