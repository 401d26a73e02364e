use super::{LastManaged, Managed, ManagedPlace};
use postern_policy::{Effect, Security, Settings, Source, pattern_text};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use tempfile::TempDir;

struct Office {
    folder: TempDir,
}

impl Office {
    fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    fn place(&self, name: &str) -> ManagedPlace {
        ManagedPlace { path: self.folder.path().join(name), by_root: false }
    }

    fn ships(&self, name: &str, text: &str) -> Result<Managed, String> {
        let place = self.place(name);
        std::fs::write(&place.path, text).unwrap();
        LastManaged::default().read(&[place], "/home/ann")
    }
}

#[test]
fn rules_and_settings_are_read_with_comments() {
    let office = Office::new();
    let text = r#"// what holds at ACME
{ "version": 1, "organisation": "ACME",
  "rules": [
    { "effect": "deny", "text": "git push *", "why": "pushes go through review" },
    { "effect": "allow", "text": "git status" }, // harmless
  ],
  "settings": { "fallback": "deny", "security": "allowlist" },
}"#;
    let managed = office.ships("managed.jsonc", text).unwrap();
    let said: Vec<_> = managed.rules.iter().map(|rule| (rule.effect, pattern_text(&rule.pattern))).collect();
    assert_eq!(said, [(Effect::Deny, "git push *".to_owned()), (Effect::Allow, "git status".to_owned())]);
    assert!(managed.rules.iter().all(|rule| rule.source == Source::Managed && rule.id < 0));
    let summary = managed.summary().unwrap();
    assert!(summary.contains("2 rules from ACME") && summary.contains("fallback"), "{summary}");
    let all = Settings { security: Security::Full, max_running: 9, ..Settings::default() };
    let over = managed.override_settings(&all);
    assert_eq!((over.security, over.max_running), (Security::Allowlist, 9), "the rest stays the person's");
}

#[test]
fn a_property_list_says_the_same() {
    let text = r#"<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0"><dict>
  <key>version</key><integer>1</integer>
  <key>rules</key><array><dict>
    <key>effect</key><string>deny</string><key>text</key><string>/usr/bin/ssh</string>
  </dict></array>
  <key>settings</key><dict><key>maxRunning</key><integer>2</integer><key>allowSkills</key><false/></dict>
</dict></plist>"#;
    let managed = Office::new().ships("dev.postern.desktop.plist", text).unwrap();
    assert_eq!(pattern_text(&managed.rules[0].pattern), "/usr/bin/ssh");
    assert_eq!(managed.override_settings(&Settings::default()).max_running, 2);
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let office = Office::new();
    for row in include_str!("wrong.jsonl").lines() {
        let (text, part): (String, String) = serde_json::from_str(row).unwrap();
        let problem = office.ships("managed.jsonc", &text).unwrap_err();
        assert!(problem.contains("managed.jsonc: ") && problem.contains(&part), "{text}: {problem}");
    }
}

#[test]
fn a_file_that_others_could_have_written_is_refused() {
    let office = Office::new();
    office.ships("managed.jsonc", "{ \"version\": 1 }").unwrap();
    let place = office.place("managed.jsonc");
    let refused = |path: &Path, mode| {
        let before = std::fs::metadata(path).unwrap().permissions();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
        let problem = LastManaged::default().read(std::slice::from_ref(&place), "/home/ann").unwrap_err();
        std::fs::set_permissions(path, before).unwrap();
        problem
    };
    assert!(refused(&place.path, 0o666).contains("others can write to it"));
    assert!(refused(office.folder.path(), 0o777).contains("others can write to the folder"));
    std::fs::remove_file(&place.path).unwrap();
    std::fs::create_dir(&place.path).unwrap();
    assert!(LastManaged::default().read(&[place], "/home/ann").unwrap_err().contains("is not a file"));
}

#[test]
fn without_a_file_nothing_is_decided() {
    let office = Office::new();
    let managed = LastManaged::default().read(&[office.place("none.jsonc")], "/home/ann").unwrap();
    assert_eq!(managed, Managed::default());
    assert_eq!(managed.summary(), None);
}

#[test]
fn what_the_organisation_decides_cannot_be_changed_and_is_given_back_afterwards() {
    let office = Office::new();
    let managed = office
        .ships("managed.jsonc", r#"{ "version": 1, "settings": { "security": "allowlist" } }"#)
        .unwrap();
    let own = Settings { security: Security::Full, ..Settings::default() };
    let now = managed.override_settings(&own);
    let wanted = Settings { max_running: 7, ..now.clone() };
    let kept = managed.keep_own(&now, &wanted, &own).unwrap();
    assert_eq!((kept.security, kept.max_running), (Security::Full, 7));
    let refused =
        managed.keep_own(&now, &Settings { security: Security::Deny, ..now.clone() }, &own).unwrap_err();
    assert!(refused.to_string().contains("security"), "{refused}");
    assert!(refused.to_string().contains("managed.jsonc"), "{refused}");
}

#[test]
fn a_profile_is_for_everybody_or_for_one_user() {
    let places = |user: &str| -> Vec<String> {
        super::profiles(user).iter().map(|path| path.to_string_lossy().into_owned()).collect()
    };
    assert_eq!(
        places("ada"),
        [
            "/Library/Managed Preferences/dev.postern.desktop.plist",
            "/Library/Managed Preferences/dev.postern.desktop.jsonc",
            "/Library/Managed Preferences/ada/dev.postern.desktop.plist",
            "/Library/Managed Preferences/ada/dev.postern.desktop.jsonc",
        ]
    );
    for user in ["", "..", "../x"] {
        assert_eq!(places(user).len(), 2, "{user}");
    }
}
