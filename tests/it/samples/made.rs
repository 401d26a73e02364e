//! Rules as *undo* writes them: with their use.

use super::tools::Tools;
use postern_policy::{AgentId, Effect, Identity, Lifetime, Millis, Pattern, Pin, Rule, Source, Usage};

const MINUTE: Millis = 60_000;
const HOUR: Millis = 60 * MINUTE;
const DAY: Millis = 24 * HOUR;

/// Returns the rules of the samples. `rg` has the number and the pin of its own.
pub(super) fn rules(rg: Rule, tools: &Tools, now: Millis) -> Vec<Rule> {
    let path = |name: &str| tools.path(name);
    let of = |pattern| rule(pattern, now);
    let command = |text: &str| of(Pattern::Command(text.to_owned()));
    let rg = Rule { created_at: now - 20 * DAY, ..rg };
    let rg = Made { rule: rg, now }.used(0, 1910, "rg -n error src", &path("rg"), "14.1.1");
    let push = command("git push *").used(HOUR, 48, "git push origin main", &path("git"), "2.51.0");
    let local = of(Pattern::Path("~/.local/bin/**".to_owned()));
    let local = local.used(3 * DAY, 6, "deploy --dry-run", "/Users/kim/.local/bin/deploy", "");
    let build = command("npm run build").used(DAY, 11, "npm run build", &path("npm"), "10.9.0");
    let bird = of(Pattern::Path(path("bird")));
    let bird = bird.used(5 * DAY, 203, "bird timeline --json", &path("bird"), "0.4.2");
    let xcode = of(Pattern::Path(path("xcodebuild")));
    let xcode = xcode.used(6 * DAY, 76, "xcodebuild test", &path("xcodebuild"), "16.2");
    let origin = command("git push origin *");
    let origin = origin.used(8 * DAY, 2, "git push origin release", &path("git"), "2.51.0");
    let remove = command("rm -rf *").used(9 * DAY, 3, "rm -rf build", "/usr/bin/rm", "");
    let status = command("git status *");
    let status = status.used(4 * MINUTE, 640, "git status --short", &path("git"), "2.51.0");
    let all = [
        rg,
        push.from(Source::Always),
        local,
        build.from(Source::Always).until(5 * HOUR),
        bird.pinned(),
        xcode,
        origin.because("before git push * was allowed"),
        of(Pattern::Path(path("fd"))).from(Source::Import).made(120 * DAY).within("~/Projects/site"),
        remove.denies(),
        of(Pattern::Path(path("osascript"))).denies(),
        status.everyone(),
        of(Pattern::Path("/usr/bin/security".to_owned())).denies().everyone(),
    ];
    all.map(|made| made.rule).into()
}

/// Returns a rule of the builder's.
pub(super) fn rule(pattern: Pattern, now: Millis) -> Made {
    let agent = Some(AgentId::new("builder").unwrap());
    let rule = Rule { agent, created_at: now - 20 * DAY, ..Rule::new(Effect::Allow, pattern) };
    Made { rule, now }
}

/// A rule in the making.
pub(super) struct Made {
    pub(super) rule: Rule,
    now: Millis,
}

impl Made {
    fn used(mut self, ago: Millis, count: u64, command: &str, path: &str, version: &str) -> Self {
        let version = (!version.is_empty()).then(|| version.to_owned());
        self.rule.usage = Usage {
            count,
            last_used_at: Some(self.now - ago),
            last_command: Some(command.to_owned()),
            last_path: Some(path.to_owned()),
            last_seen: Some(Box::new(identity(version))),
        };
        self
    }

    /// Binds it to the program that was seen last.
    fn pinned(mut self) -> Self {
        let seen = self.rule.usage.last_seen.clone();
        self.rule.pin = seen.map(|program| Box::new(Pin::new(*program)));
        self
    }

    fn from(mut self, source: Source) -> Self {
        self.rule.source = source;
        self
    }

    fn within(mut self, folder: &str) -> Self {
        self.rule.folder = Some(folder.to_owned());
        self
    }

    fn until(mut self, left: Millis) -> Self {
        self.rule.lifetime = Lifetime::Until(self.now + left);
        self
    }

    pub(super) fn because(mut self, why: &str) -> Self {
        self.rule.why = Some(why.to_owned());
        self
    }

    fn made(mut self, ago: Millis) -> Self {
        self.rule.created_at = self.now - ago;
        self
    }

    fn denies(mut self) -> Self {
        self.rule.effect = Effect::Deny;
        self
    }

    fn everyone(mut self) -> Self {
        self.rule.agent = None;
        self
    }
}

/// Returns a program that is another one by now.
fn identity(version: Option<String>) -> Identity {
    Identity {
        sha256: "9f3ac41e".repeat(8),
        size: 5_242_880,
        mtime_ns: "1760000000000000000".to_owned(),
        ctime_ns: "1760000000000000000".to_owned(),
        device: 1,
        inode: "4242".to_owned(),
        version,
        signature: None,
    }
}
