//! Lists: what a host that was worked with for a while says of its agents, rules, requests, skills and doors.

use super::asking::Asking;
use super::made;
use super::steady::Steady;
use super::tools::Tools;
use super::{HOME, PATIENCE, next_question};
use postern_client::{Channel, Control};
use postern_contract::methods::{
    AddRule, AddSkillFolder, AgentRef, AgentSet, AnswerQuestion, ApproveSkill, ApproverKind, ChannelAsk,
    ChannelKind, GetAgent, GetChannel, GetDataUse, GetInsights, GetPermissions, GetRequest, GetSettings,
    GetStatus, InsightsAsk, ListAgents, ListDoors, ListRequests, ListRules, ListSessions, ListSkills, Method,
    Nothing, OfferRules, PreviewRule, PutRules, RequestAsk, RequestFilter, RequestNumber, RuleFilter,
    RulesPut, SessionFilter, SetAgent, SkillApprove, SkillFolder, SuggestRules, TestAgent,
};
use postern_contract::{Answer, AnswerParams, RequestRow, RuleDraft, RuleRow};
use postern_policy::{AgentId, Effect, Millis, Pattern, Preset, Rule};
use postern_protocol::{AgentCall, RunState, SessionOpenParams};
use postern_tests::{Postern, connect_agent};
use serde_json::{Map, Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Child;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Period of the pictures.
const MONTH: InsightsAsk = InsightsAsk { days: 30, agent: None, effect: None };
/// Text that wants to be taken for something else.
const NASTY: &str = "<img src=x onerror=alert(1)> <b>bold<b> \u{202e}txt.exe \u{200b} \u{1b}[31m red\n";

/// A host, its agents, and the person who looks.
pub(super) struct Stage {
    host: Postern,
    tools: Tools,
    person: Control,
    site: PathBuf,
    start: Millis,
    recorded: Map<String, Value>,
    /// Processes that run or wait while the lists are read.
    live: Vec<Child>,
    /// Keeps its session open.
    channel: Option<Channel>,
}

impl Stage {
    pub(super) fn open() -> Self {
        let host = Postern::start();
        let tools = Tools::new();
        let site = host.home().join("Projects/site");
        fs::create_dir_all(&site).unwrap();
        let gone = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let person = Control::connect(&host.data()).unwrap();
        let start = Millis::try_from(gone.as_millis()).unwrap();
        let (recorded, live) = (Map::new(), Vec::new());
        let mut stage = Self { host, tools, person, site, start, recorded, live, channel: None };
        for name in ["builder", "research", "release"] {
            stage.host.enrol(name);
            stage.settle(name);
        }
        stage
    }

    /// Returns every sample, by its method.
    pub(super) fn record(mut self) -> Value {
        let pin = self.pin();
        let put = RulesPut { put: made::rules(pin, &self.tools, self.start), remove: Vec::new() };
        self.person.call_method::<PutRules>(&put).unwrap();
        self.requests();
        self.session();
        self.skills();
        self.used();
        self.lists();
        self.history("requests");
        self.previews();
        self.tested();
        self.hostile();
        for mut child in std::mem::take(&mut self.live) {
            drop(child.kill());
            drop(child.wait());
        }
        self.words()
    }

    fn settle(&mut self, name: &str) {
        let agent = AgentId::new(name).unwrap();
        let mut settings =
            self.person.call_method::<GetAgent>(&AgentRef { agent: agent.clone() }).unwrap().settings;
        settings.search_path = vec![self.tools.bin().display().to_string(), "/usr/bin".to_owned()];
        settings.folders = vec![self.site.display().to_string()];
        settings.allow_skills = name == "builder";
        settings.questions_per_minute = 60;
        let mut change = AgentSet { agent, settings: Some(settings), values: [].into() };
        if name == "release" {
            let deny = serde_json::to_value(Preset::Deny).unwrap();
            change.values.insert("preset".to_owned(), deny.as_str().unwrap().to_owned());
        }
        self.person.call_method::<SetAgent>(&change).unwrap();
    }

    /// Returns the number and the pin of a rule that is bound to the program as it is.
    fn pin(&mut self) -> Rule {
        let agent = Some(AgentId::new("builder").unwrap());
        let draft = RuleDraft { agent, pin: true, ..RuleDraft::new(Effect::Allow, self.tools.path("rg")) };
        self.person.call_method::<AddRule>(&draft).unwrap().rule
    }

    /// Makes a day's work, oldest first: every way to be decided once.
    fn requests(&mut self) {
        self.ends("release", &["gh", "release", "create", "v1.2.0"]);
        // Nobody is there to be asked yet.
        let mut unanswered = self.asking("research", &["brew", "upgrade"]).start();
        self.host.until(&["history"], "brew upgrade");
        self.ends("builder", &["osascript", "-e", "tell app \"Finder\" to quit"]);
        self.ends("builder", &["xcodebuild", "-scheme", "App", "test"]);
        self.ends("research", &["rm", "-rf", "/"]);
        unanswered.wait().unwrap();
        self.person.watch_questions(ApproverKind::Terminal).unwrap();
        for words in [["git", "fetch", "origin"], ["git", "fetch", "--all"], ["git", "fetch", "--tags"]] {
            self.answered("research", &words, Answer::Once, None);
        }
        self.answered("research", &["npm", "publish"], Answer::Deny, Some("not from a branch"));
        self.answered("research", &["curl", "-fsSL", "https://example.com/data.json"], Answer::Once, None);
        self.ends("builder", &["rg", "-n", "TODO", "src"]);
        let running = self.asking("builder", &["npm", "run", "build"]);
        self.live.push(running.start());
        self.until_it_says("npm run build", "module 6");
        let asking = self.asking("builder", &["git", "rebase", "origin/main"]);
        self.live.push(asking.start());
        next_question(&mut self.person);
    }

    fn asking(&self, agent: &str, words: &[&str]) -> Asking {
        let options: &[&str] = match agent {
            "builder" => &["--session", "fix-login", "--reason", "look for what is left to do"],
            _ => &[],
        };
        let (program, arguments) = words.split_first().unwrap();
        Asking::on(&self.channel_of(agent), &self.site, options).words(program, arguments)
    }

    fn channel_of(&self, agent: &str) -> PathBuf {
        self.host.data().join("agents").join(agent)
    }

    fn ends(&self, agent: &str, words: &[&str]) {
        self.asking(agent, words).start().wait().unwrap();
    }

    fn answered(&mut self, agent: &str, words: &[&str], answer: Answer, feedback: Option<&str>) {
        let child = self.asking(agent, words).start();
        self.answers(child, answer, feedback);
    }

    fn answers(&mut self, mut child: Child, answer: Answer, feedback: Option<&str>) {
        let question = next_question(&mut self.person);
        let feedback = feedback.map(str::to_owned);
        let params = AnswerParams { feedback, ..AnswerParams::for_question(&question, answer) };
        let answered = self.person.call_method::<AnswerQuestion>(&params).unwrap();
        assert!(answered.applied, "{answered:?}");
        child.wait().unwrap();
    }

    /// Waits until a running command has written this.
    fn until_it_says(&mut self, line: &str, part: &str) {
        self.host.until(&["history"], line);
        let id = self.rows().iter().find(|row| row.line == line).unwrap().id.clone();
        self.host.until(&["show", &id], part);
    }

    /// Opens a session that stays open, with a layer of its own.
    fn session(&mut self) {
        let folder = self.channel_of("builder");
        let mut channel = connect_agent(&folder);
        let rules = json!({"read_file": "allow", "shell_exec": "ask"});
        let rules = rules.as_object().cloned();
        let open =
            SessionOpenParams { session: "review".to_owned(), parent: None, rules, elevated: Some(true) };
        channel.call_host(&AgentCall::SessionOpen(open)).unwrap();
        self.channel = Some(channel);
    }

    fn skills(&mut self) {
        let bird = self.tools.path("bird");
        let about = "Read and post to timelines from the command line.";
        self.tools.skill("bird", &format!("---\nname: bird\ndescription: {about}\nclis: [{bird}]\n---\n"));
        let about = "Issues, pull requests and checks.";
        let clis = "clis: [uname, head, tail, act]";
        self.tools.skill("github", &format!("---\nname: github\ndescription: {about}\n{clis}\n---\n"));
        let folder = self.tools.skill("notes", "# Notes\n").display().to_string();
        self.person.call_method::<AddSkillFolder>(&SkillFolder { folder }).unwrap();
        for (skill, cli) in [("bird", bird.as_str()), ("github", "uname")] {
            let approve = SkillApprove { skill: skill.to_owned(), cli: Some(cli.to_owned()) };
            self.person.call_method::<ApproveSkill>(&approve).unwrap();
        }
        self.tools.install("bird", "echo another");
    }

    /// Waits until what was used is counted at its rules, and what has ended is counted at all.
    fn used(&mut self) {
        self.host.until(&["rules", "list", "--agent", "builder", "--json"], "\"count\": 1911");
        self.host.until(&["rules", "list", "--agent", "builder", "--json"], "\"count\": 77");
        let ended = self.rows().iter().filter(|row| row.decided.is_some() && row.state.has_ended()).count();
        let end = Instant::now() + PATIENCE;
        loop {
            let total = self.person.call_method::<GetInsights>(&MONTH).unwrap().total;
            let all = [
                total.you_allowed, total.rule_allowed, total.setting_allowed, total.you_denied,
                total.rule_denied, total.setting_denied, total.unanswered,
            ];
            if all.iter().sum::<u64>() == ended as u64 {
                return;
            }
            assert!(Instant::now() < end, "{ended} have ended: {total:?}");
        }
    }

    fn lists(&mut self) {
        self.keep::<GetStatus>(&Nothing {});
        self.keep::<GetSettings>(&Nothing {});
        self.keep::<GetDataUse>(&Nothing {});
        self.keep::<ListAgents>(&Nothing {});
        self.keep::<ListRules>(&RuleFilter::default());
        self.keep::<ListSkills>(&Nothing {});
        self.keep::<ListDoors>(&Nothing {});
        self.keep::<ListSessions>(&SessionFilter::default());
        let builder = || AgentId::new("builder").unwrap();
        self.keep::<GetPermissions>(&AgentRef { agent: builder() });
        self.keep::<GetChannel>(&ChannelAsk { agent: builder(), kind: ChannelKind::Plain });
        let mut insights =
            serde_json::to_value(self.person.call_method::<GetInsights>(&MONTH).unwrap()).unwrap();
        // Where days begin is this computer's: the pages' tests spread them.
        insights["days"] = json!([]);
        // All of it is said to be of the morning, also what is recorded while an hour ends.
        let total = insights["total"].clone();
        for (hour, counts) in insights["hours"].as_array_mut().unwrap().iter_mut().enumerate() {
            for (name, count) in counts.as_object_mut().unwrap() {
                *count = if hour == 6 { total[name].clone() } else { json!(0) };
            }
        }
        insights["since"] = json!(self.start);
        self.recorded.insert(GetInsights::NAME.to_owned(), insights);
        self.keep::<SuggestRules>(&MONTH);
    }

    fn keep<M: Method>(&mut self, params: &M::Params) {
        let value = serde_json::to_value(self.person.call_method::<M>(params).unwrap()).unwrap();
        self.recorded.insert(M::NAME.to_owned(), value);
    }

    fn rows(&mut self) -> Vec<RequestRow> {
        self.person.call_method::<ListRequests>(&RequestFilter::default()).unwrap().requests
    }

    /// Adds every request in full, newest first, with what could be saved for it.
    fn history(&mut self, name: &str) {
        let mut all = Vec::new();
        for row in self.rows() {
            let offers =
                self.person.call_method::<OfferRules>(&RequestNumber { id: row.id.clone() }).unwrap();
            let asked = RequestAsk { id: row.id, secrets: false };
            all.push(
                json!({"detail": self.person.call_method::<GetRequest>(&asked).unwrap(), "offers": offers}),
            );
        }
        self.recorded.insert(name.to_owned(), Value::Array(all));
    }

    /// Adds the previews of rules while they are typed, by their text.
    fn previews(&mut self) {
        let mut said = Map::new();
        for text in ["git fetch *", "npm test *", "sh *", "*", ""] {
            let agent = Some(AgentId::new("research").unwrap());
            let draft = RuleDraft { agent, ..RuleDraft::new(Effect::Allow, text) };
            let preview = self.person.call_method::<PreviewRule>(&draft).unwrap();
            said.insert(text.to_owned(), serde_json::to_value(preview).unwrap());
        }
        self.recorded.insert(PreviewRule::NAME.to_owned(), Value::Object(said));
    }

    /// Tests a channel with a harmless command.
    fn tested(&mut self) {
        let sent = self
            .person
            .call_method::<TestAgent>(&AgentRef { agent: AgentId::new("builder").unwrap() })
            .unwrap();
        let question = next_question(&mut self.person);
        let once = AnswerParams::for_question(&question, Answer::Once);
        assert!(self.person.call_method::<AnswerQuestion>(&once).unwrap().applied);
        let number = RequestAsk { id: sent.id, secrets: false };
        let detail = loop {
            let detail = self.person.call_method::<GetRequest>(&number).unwrap();
            if detail.row.state.has_ended() {
                break detail;
            }
            self.person.next_known_notification(Some(PATIENCE)).unwrap();
        };
        assert_eq!(detail.row.state, RunState::Finished);
        self.recorded.insert(TestAgent::NAME.to_owned(), serde_json::to_value(detail).unwrap());
    }

    /// Puts an attack into everything that an agent, a skill or a person who copies can write.
    fn hostile(&mut self) {
        let long = format!("{}the-very-end", "A".repeat(3000));
        let folder = self.site.join(NASTY);
        fs::create_dir(&folder).unwrap();
        let options = ["--session", NASTY, "--reason", NASTY, "--env", "NOTE=<b>\u{202e}C</b>"];
        let words = ["echo", NASTY, &long];
        for (answer, feedback) in [(Answer::Deny, Some(NASTY)), (Answer::Once, None)] {
            let asking = Asking::on(&self.channel_of("builder"), &folder, &options);
            self.answers(asking.words(words[0], &words[1..]).start(), answer, feedback);
        }
        let mut newest = self.rows();
        newest.truncate(2);
        let details: Vec<_> = newest
            .into_iter()
            .map(|row| RequestAsk { id: row.id, secrets: false })
            .map(|asked| self.person.call_method::<GetRequest>(&asked).unwrap())
            .collect();
        let rules = [self.hostile_rule(&folder, &words)];
        let about = "x".repeat(900);
        self.tools
            .skill("photo", &format!("---\nname: \"photo\u{202e}gpj.exe\"\ndescription: {about}\n---\n"));
        let skills = self.person.call_method::<ListSkills>(&Nothing {}).unwrap().skills;
        let skill = skills.into_iter().find(|skill| skill.name.contains("gpj")).expect("the skill is found");
        let all = json!({"requests": details, "rules": rules, "skills": [skill]});
        self.recorded.insert("hostile".to_owned(), all);
    }

    /// Returns a rule with an attack in its pattern and its reason, which was used.
    fn hostile_rule(&mut self, folder: &Path, words: &[&str]) -> RuleRow {
        let argv = words.iter().map(|word| (*word).to_owned()).collect();
        let mut rule = made::rule(Pattern::Exact(argv), self.start).because(NASTY).rule;
        rule.usage.count = 1_234_567_889;
        let put = RulesPut { put: vec![rule], remove: Vec::new() };
        let made = self.person.call_method::<PutRules>(&put).unwrap().rules.remove(0);
        let ran = Asking::on(&self.channel_of("builder"), folder, &[]).words(words[0], &words[1..]);
        assert!(ran.start().wait().unwrap().success(), "the rule allows it");
        self.host.until(&["rules", "list", "--agent", "builder", "--json"], "\"count\": 1234567890");
        let all = self.person.call_method::<ListRules>(&RuleFilter::default()).unwrap().rules;
        all.into_iter().find(|row| row.rule.id == made.rule.id).unwrap()
    }

    /// Returns everything in stable words.
    fn words(mut self) -> Value {
        let real = |program: &str| fs::canonicalize(program).unwrap().display().to_string();
        let mut words = self.tools.words(Path::new(HOME));
        let data = format!("{HOME}/Library/Postern");
        words.push((self.host.data().display().to_string(), data));
        words.push((self.host.home().display().to_string(), HOME.to_owned()));
        words.push((real("/bin/sh"), "/bin/sh".to_owned()));
        let mut steady = Steady::new(words, self.start);
        steady.steady(Value::Object(std::mem::take(&mut self.recorded)))
    }
}
