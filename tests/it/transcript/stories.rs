//! Stories of the transcript: one after the other, on one connection, with a person who answers at the
//! command line.

use super::recorded::Recorded;
use postern_protocol::SocketKey;
use postern_tests::{Postern, Watcher};
use serde_json::{Value, json};

/// Returns the agent's own numbers for its requests.
fn request(number: u32) -> String {
    format!("0197b1c0-1111-4111-8111-{number:012}")
}

/// A host, the person who answers there, and the agent's connection.
struct Stage {
    host: Postern,
    watcher: Watcher,
    channel: std::path::PathBuf,
    agent: Recorded,
    page: String,
}

/// Returns every story, as it stands on the page.
pub(super) fn all() -> String {
    let (host, channel) = Postern::with_agent();
    for program in ["/usr/bin/printf", "/usr/bin/cat", "/usr/bin/sleep"] {
        host.ok(&["rules", "allow", program, "--agent", "main"]);
    }
    let watcher = host.watch();
    let agent = Recorded::open(&channel, None);
    let mut stage = Stage { host, watcher, channel, agent, page: String::new() };
    stage.told("The opening. The proofs are made with the nonces that stand there and the key above.");
    stage.runs_by_a_rule();
    stage.is_fed();
    stage.is_killed();
    stage.is_allowed_by_a_person();
    stage.is_denied_by_a_person();
    stage.closes_a_session();
    stage.checks_a_tool();
    stage.goes_wrong();
    stage.page
}

impl Stage {
    /// Ends a story: what was said since the last one goes to the page, under this sentence.
    fn told(&mut self, title: &str) {
        let said = std::mem::take(&mut self.agent.text);
        self.page.extend(["\n", title, "\n\n```jsonc\n", said.as_str(), "```\n"]);
    }

    fn runs_by_a_rule(&mut self) {
        let run = json!({"requestId": request(1), "command": ["/usr/bin/printf", "done\\n"], "cwd": "/", "stream": true});
        self.agent.ask_and_hear("system.run", &run, &["exec.started", "exec.output", "exec.finished"]);
        let again = json!({"requestId": request(1), "command": ["/usr/bin/printf", "done\\n"], "cwd": "/", "wait": "finished"});
        self.agent.ask("system.run", &again);
        self.agent.ask("system.which", &json!({"names": ["/usr/bin/printf", "no-such-program"]}));
        self.told(
            "A rule allows it. The same request sent again gives the stored outcome; nothing runs twice.",
        );
    }

    fn is_fed(&mut self) {
        let run = json!({"requestId": request(2), "command": ["/usr/bin/cat"], "cwd": "/", "stdin": {"stream": true}});
        self.agent.ask_and_hear("system.run", &run, &["exec.started"]);
        let input = json!({"requestId": request(2), "data": "fed\n", "offset": 0, "eof": true});
        self.agent.ask_and_hear("system.input", &input, &["exec.finished"]);
        self.told("Standard input while it runs.");
    }

    fn is_killed(&mut self) {
        let run = json!({"requestId": request(3), "command": ["/usr/bin/sleep", "600"], "cwd": "/"});
        self.agent.ask_and_hear("system.run", &run, &["exec.started"]);
        self.agent.ask("system.status", &json!({"requestId": request(3)}));
        self.agent.ask("system.output", &json!({"requestId": request(3), "stream": "stdout"}));
        let kill = json!({"requestId": request(3), "signal": "SIGTERM"});
        self.agent.ask_and_hear("system.kill", &kill, &["exec.finished"]);
        self.told("It runs, is looked at, and is ended.");
    }

    fn is_allowed_by_a_person(&mut self) {
        let run = json!({"requestId": request(4), "command": ["/usr/bin/uname", "-s"], "cwd": "/", "reason": "to see it"});
        self.agent.ask_and_hear("system.run", &run, &["exec.pending"]);
        let question = self.watcher.question();
        self.host.approve(&question);
        self.agent.events(&["exec.started", "exec.finished"]);
        self.told("No rule covers it: the user is asked, and allows it once.");
    }

    fn is_denied_by_a_person(&mut self) {
        let run = json!({"requestId": request(5), "shell": "uname -a | cat", "cwd": "/"});
        self.agent.ask_and_hear("system.run", &run, &["exec.pending"]);
        let question = self.watcher.question();
        self.host.ok(&["deny", &text(&question, "code"), "--feedback", "look at your own"]);
        self.agent.events(&["exec.denied"]);
        self.told("The user says no, and why.");
    }

    fn closes_a_session(&mut self) {
        self.agent.ask("session.open", &json!({"session": "build"}));
        let run =
            json!({"requestId": request(6), "command": ["/usr/bin/uname"], "cwd": "/", "session": "build"});
        self.agent.ask_and_hear("system.run", &run, &["exec.pending"]);
        self.agent.ask_and_hear("session.close", &json!({"session": "build"}), &["exec.denied"]);
        self.told("A session that closes takes back what waits in it.");
    }

    fn checks_a_tool(&mut self) {
        let layer = json!({"session": "writer", "rules": {"shell_exec": {"*": "ask"}}});
        self.agent.ask("session.open", &layer);
        let check = json!({"tool": "shell_exec", "arguments": {"command": "git push origin main"}, "session": "writer"});
        let answer = self.agent.ask("tool.check", &check);
        self.agent.call_it(&text(&answer["result"], "checkId"), "0197b1c0-2222-4222-8222-000000000001");
        let question =
            std::iter::repeat_with(|| self.watcher.question()).find(|seen| seen["origin"] != "host");
        let question = question.expect("the tool is asked about");
        self.host.ok(&["deny", &text(&question, "code"), "--feedback", "to a branch, please"]);
        self.agent.events(&["tool.resolved"]);
        self.told("A tool is asked about before it is used.");
    }

    fn goes_wrong(&mut self) {
        let nul = json!({"requestId": request(7), "command": ["/usr/bin/printf", "a\0b"]});
        self.agent.ask("system.run", &nul);
        let other = json!({"requestId": request(1), "command": ["/usr/bin/cat"], "cwd": "/"});
        self.agent.ask("system.run", &other);
        self.agent.ask("system.status", &json!({"requestId": request(9)}));
        self.agent.ask("system.reboot", &json!({}));
        self.told("What is wrong is named, and changes nothing.");
        self.agent.ask_and_hear("events.after", &json!({"sequence": 14}), &["tool.resolved"]);
        self.told("Missed notifications are sent again.");
        self.agent = Recorded::open(&self.channel, Some(SocketKey::from_bytes([9; 32])));
        self.told("A client with another key.");
    }
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_else(|| panic!("{value} has no {key}")).to_owned()
}
