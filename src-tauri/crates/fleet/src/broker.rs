//! The broker: subjects, streams, and a configuration of nats-server in which every member may do what it must, and no
//! more.

use crate::id::{FleetId, Hash};
use crate::keys::VerifyKey;
use crate::roster::{Member, MemberRole, Roster};
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// Largest message that the broker takes: a sealed bundle for many recipients.
pub const MAX_PAYLOAD: usize = 1 << 20;

/// Names of a fleet on the broker.
#[derive(Debug, Clone)]
pub struct Subjects {
    fleet: FleetId,
}

impl Subjects {
    /// Names those of a fleet.
    pub fn for_fleet(fleet: &FleetId) -> Self {
        Self { fleet: fleet.clone() }
    }

    /// Questions and closings of a host.
    pub fn questions(&self, host: &FleetId) -> String {
        format!("pf.{}.q.{host}", self.fleet)
    }

    /// Answers to a host, by request and reply.
    pub fn answers(&self, host: &FleetId) -> String {
        format!("pf.{}.ans.{host}", self.fleet)
    }

    /// Jobs of a host, by request and reply; `*` for all.
    pub fn jobs(&self, host: &str) -> String {
        format!("pf.{}.job.{host}", self.fleet)
    }

    /// Returns the subject of a host's audit; `*` for all.
    pub fn audit(&self, host: &str) -> String {
        format!("pf.{}.audit.{host}", self.fleet)
    }

    /// Returns the subject of a host's audit rows, sealed for auditors; `*` for all.
    pub fn audit_rows(&self, host: &str) -> String {
        format!("pf.{}.rows.{host}", self.fleet)
    }

    /// Returns the name of the stream with the anchors of all hosts.
    pub fn audit_stream(&self) -> String {
        format!("pf-{}-a", self.fleet)
    }

    /// Returns the name of the stream with the rows of all hosts' audits: apart, so that no rows take the place of anchors.
    pub fn audit_row_stream(&self) -> String {
        format!("pf-{}-r", self.fleet)
    }

    /// Returns the key of a group's bundle, stage or proposal in the bucket. The broker is not told the group's name.
    pub fn group_key(&self, kind: &str, group: &FleetId) -> String {
        let parts = [self.fleet.as_str().as_bytes(), group.as_str().as_bytes()];
        format!("{kind}.{}", Hash::of_parts("postern-fleet group 1", &parts).short_hex())
    }

    /// Returns the keys of a group's policy: its bundle and its stage.
    pub fn policy_keys(&self, group: &FleetId) -> [String; 2] {
        ["bundle", "stage"].map(|kind| self.group_key(kind, group))
    }

    /// Returns the subject on which a person's device reports that it is there; `*` for all.
    pub fn presence(&self, member: &str) -> String {
        format!("pf.{}.here.{member}", self.fleet)
    }

    /// Returns the subject on which a host reports that it is there; `*` for all. Hosts do not listen to each other: their
    /// messages would be as many as their number squared.
    pub fn host_presence(&self, host: &str) -> String {
        format!("pf.{}.there.{host}", self.fleet)
    }

    /// Returns the subject on which an invited device and an owner meet.
    pub fn join_subject(&self, invitation: &FleetId) -> String {
        format!("pf.{}.join.{invitation}", self.fleet)
    }

    /// Returns the name of the stream with the questions of all hosts.
    pub fn question_stream(&self) -> String {
        format!("pf-{}-q", self.fleet)
    }

    /// Subjects of that stream.
    pub fn all_questions(&self) -> String {
        format!("pf.{}.q.*", self.fleet)
    }

    /// Returns the name of the bucket with the roster and what is current.
    pub fn bucket(&self) -> String {
        format!("pf-{}", self.fleet)
    }

    /// Returns the name of the stream that keeps the bucket's entries.
    pub fn bucket_stream(&self) -> String {
        format!("KV_{}", self.bucket())
    }

    /// Returns the subject of an entry in that bucket; `>` for all.
    pub fn key_subject(&self, key: &str) -> String {
        format!("$KV.{}.{key}", self.bucket())
    }

    /// Returns the subject on which the broker itself repeats what it stored in that bucket; `>` for all.
    ///
    /// On the subject of an entry anybody hears what the broker then refuses as well. Nobody may publish on this one.
    pub fn stored(&self, key: &str) -> String {
        format!("pf.{}.kept.{key}", self.fleet)
    }

    /// Returns the prefix of the subjects on which a member gets replies.
    pub fn inbox_prefix(member: &str) -> String {
        format!("_INBOX_{member}")
    }

    /// Returns true if a member gets replies on a subject.
    ///
    /// A request may name any other one, and the broker lets the member who replies publish there.
    pub fn is_inbox_of(member: &str, subject: &str) -> bool {
        subject.strip_prefix(&Self::inbox_prefix(member)).is_some_and(|rest| rest.starts_with('.'))
    }
}

/// Everything that the configuration of a broker is made of.
#[derive(Debug, Clone)]
pub struct Broker<'a> {
    pub fleet: &'a FleetId,
    pub roster: &'a Roster,
    /// Invitations that wait, with their keys.
    pub invited: &'a [(FleetId, VerifyKey)],
    /// Address and port of the broker: `HOST:PORT`.
    pub listen: &'a str,
    /// Folder of its certificate (`broker.crt`), key (`broker.pem`), process id and data, and nothing else.
    pub folder: &'a str,
    /// True if the server is older than 2.10, which refuses `sync_interval`.
    pub before_2_10: bool,
    /// True if the server runs in a container. Its service publishes `listen` and writes the process id.
    pub in_container: bool,
}

impl Broker<'_> {
    /// Returns the configuration file.
    pub fn configuration(&self) -> String {
        let path = |name: &str| quoted(&format!("{}/{name}", self.folder.trim_end_matches('/')));
        let (listen, pid) = if self.in_container {
            let port = self.listen.rsplit(':').next().unwrap_or_default();
            (format!("0.0.0.0:{port}"), String::new())
        } else {
            (self.listen.to_owned(), format!("pid_file: {}\n", path("broker.pid")))
        };
        let sync = if self.before_2_10 { "" } else { "\n  sync_interval: always" };
        let users: String = self.list_users().iter().map(BrokerUser::to_config).collect();
        format!(
            include_str!("broker.txt"),
            pid = pid,
            max_payload = MAX_PAYLOAD,
            sync = sync,
            users = users,
            fleet = self.fleet,
            listen = quoted(&listen),
            name = quoted(&format!("postern-{}", self.fleet)),
            certificate = path("broker.crt"),
            key = path("broker.pem"),
            store = path("jetstream"),
        )
    }

    /// Returns the rights of each Mac in an account of a server that others run: as its configuration has them, and as
    /// commands of `nsc`. The keys are those of the credentials that the account's administrator gives out.
    ///
    /// A Mac has one file of credentials, for its host and for its person: members of one name are a Mac. In a token (JWT) the
    /// rights must fit what a server reads as one line, 4 KiB.
    pub fn account_rights(fleet: &FleetId, roster: &Roster) -> (String, String) {
        let broker = Broker {
            fleet,
            roster,
            invited: &[],
            listen: "",
            folder: "",
            before_2_10: false,
            in_container: false,
        };
        let (mut config, mut commands) = (String::new(), String::new());
        let mut named = BTreeSet::new();
        for first in roster.members.iter().filter(|member| named.insert(member.name.as_str())) {
            let members = roster.members.iter().filter(|member| member.name == first.name);
            let rights = members.map(|member| broker.member(member)).reduce(BrokerUser::with_rights_of);
            let Some(rights) = rights else { continue };
            let (id, name) = (&first.id, quoted(&first.name));
            let user = BrokerUser { nkey: format!("NKEY-OF-{id}"), ..rights };
            // Writing to a string cannot fail.
            _ = write!(config, "    # {name}\n{}", user.to_config());
            _ = writeln!(
                commands,
                "# {name}\nnsc add user --name {id} --allow-pub '{}' --allow-sub '{}' --allow-pub-response",
                user.publish.join(","),
                user.subscribe.join(",")
            );
        }
        (config, commands)
    }

    fn list_users(&self) -> Vec<BrokerUser> {
        let members = self.roster.members.iter().map(|member| self.member(member));
        let invited = self.invited.iter().map(|(invitation, key)| self.invitation(invitation, key));
        members.chain(invited).collect()
    }

    fn member(&self, member: &Member) -> BrokerUser {
        let (names, id) = (Subjects::for_fleet(self.fleet), &member.id);
        let mut user = BrokerUser::new(member.nkey, id.as_str());
        // Everybody reads the roster and what is current.
        user.subscribe.push(names.stored(">"));
        let bucket = names.bucket_stream();
        user.allow_reading(&bucket);
        user.publish
            .extend([format!("$JS.API.DIRECT.GET.{bucket}"), format!("$JS.API.DIRECT.GET.{bucket}.>")]);
        if member.has_role(MemberRole::Host) {
            user.publish.extend([names.questions(id), names.audit(id.as_str())]);
            user.publish.extend([names.audit_rows(id.as_str()), names.host_presence(id.as_str())]);
            user.subscribe.extend([names.answers(id), names.presence("*"), names.jobs(id.as_str())]);
        }
        if member.has_role(MemberRole::Approver) {
            user.publish.extend([format!("pf.{}.ans.*", self.fleet), names.presence(id.as_str())]);
            user.subscribe.extend([names.all_questions(), names.host_presence("*")]);
            user.allow_reading(&names.question_stream());
            user.allow_reading(&names.audit_stream());
        }
        if member.has_role(MemberRole::Approver) || member.has_role(MemberRole::Publisher) {
            user.publish.push(names.jobs("*"));
        }
        // An owner writes all of it. A publisher writes the entries that there are: by others the bucket could be filled.
        if member.has_role(MemberRole::Publisher) && !member.has_role(MemberRole::Owner) {
            for group in self.roster.all_groups() {
                let keys = names.policy_keys(group).into_iter().chain([names.group_key("proposal", group)]);
                user.publish.extend(keys.map(|key| names.key_subject(&key)));
            }
        }
        if member.has_role(MemberRole::Auditor) {
            user.allow_reading(&names.audit_stream());
            user.allow_reading(&names.audit_row_stream());
        }
        if member.has_role(MemberRole::Owner) {
            user.publish.push(names.key_subject(">"));
            user.subscribe.push(format!("pf.{}.join.*", self.fleet));
            let audit = [names.audit_stream(), names.audit_row_stream()];
            for stream in [names.bucket_stream(), names.question_stream()].into_iter().chain(audit) {
                user.publish.push(format!("$JS.API.STREAM.CREATE.{stream}"));
                user.publish.push(format!("$JS.API.STREAM.UPDATE.{stream}"));
            }
        }
        user
    }

    fn invitation(&self, invitation: &FleetId, key: &VerifyKey) -> BrokerUser {
        let mut user = BrokerUser::new(*key, &format!("join-{invitation}"));
        user.publish.push(Subjects::for_fleet(self.fleet).join_subject(invitation));
        user
    }
}

/// Account in the broker's configuration, with its rights.
struct BrokerUser {
    nkey: String,
    publish: Vec<String>,
    subscribe: Vec<String>,
}

impl BrokerUser {
    fn new(key: VerifyKey, inbox: &str) -> Self {
        let subscribe = vec![format!("{}.>", Subjects::inbox_prefix(inbox))];
        Self { nkey: key.public_nkey(), publish: Vec::new(), subscribe }
    }

    /// Returns a user that may do what either may.
    fn with_rights_of(mut self, other: Self) -> Self {
        let new = |known: &[String], theirs: Vec<String>| {
            theirs.into_iter().filter(|one| !known.contains(one)).collect::<Vec<_>>()
        };
        self.publish.extend(new(&self.publish, other.publish));
        self.subscribe.extend(new(&self.subscribe, other.subscribe));
        self
    }

    /// Lets it ask for the messages of a stream by consumers of its own, and administer none.
    fn allow_reading(&mut self, stream: &str) {
        self.publish.extend([
            format!("$JS.API.STREAM.INFO.{stream}"),
            format!("$JS.API.CONSUMER.CREATE.{stream}"),
            format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.*"),
        ]);
    }

    fn to_config(&self) -> String {
        let list = |subjects: &[String]| {
            let quoted: Vec<_> = subjects.iter().map(|subject| quoted(subject)).collect();
            quoted.join(", ")
        };
        let mut text = String::new();
        // Writing to a string cannot fail.
        _ = writeln!(
            text,
            "    {{ nkey: {}, permissions: {{\n      publish: {{ allow: [{}] }}\n      subscribe: {{ allow: [{}] }}\n      \
             allow_responses: {{ max: 1, expires: \"11m\" }}\n    }} }}",
            self.nkey,
            list(&self.publish),
            list(&self.subscribe),
        );
        text
    }
}

/// Quotes a text for the configuration.
fn quoted(text: &str) -> String {
    let mut quoted = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => quoted.extend(['\\', letter]),
            // No name or path that is shown to people has these; nothing may end the line.
            letter if letter.is_control() => {}
            letter => quoted.push(letter),
        }
    }
    quoted.push('"');
    quoted
}
