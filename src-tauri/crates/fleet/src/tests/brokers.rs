//! The broker's configuration: who may say and read what.

use super::{device, id, roster};
use crate::{Broker, Roster, Subjects};

fn configuration(roster: &Roster, before_2_10: bool) -> String {
    let invited = [(id("join-1"), device("invited").nkey.verifier())];
    let (fleet, listen, folder) = (&id("fleet-1"), "127.0.0.1:7720", "/data/fleet");
    Broker { fleet, roster, invited: &invited, listen, folder, before_2_10, in_container: false }
        .configuration()
}

/// Returns the lines of an account in the configuration.
fn user(name: &str) -> String {
    let (text, key) = (configuration(&roster(), false), device(name).nkey.verifier().public_nkey());
    let begins = text.find(&key).unwrap_or_else(|| panic!("{name} is let in"));
    text[begins..].split("nkey:").next().unwrap().to_owned()
}

/// Returns the line with the subjects that an account may publish to.
fn publishes(name: &str) -> String {
    user(name).lines().find(|line| line.contains("publish:")).unwrap().to_owned()
}

#[test]
fn a_host_asks_and_never_answers() {
    let host = publishes("mini");
    assert!(host.contains("\"pf.fleet-1.q.mini\""), "{host}");
    assert!(!host.contains(".ans.") && !host.contains("$KV"), "{host}");
    assert!(user("mini").contains("\"pf.fleet-1.ans.mini\""), "it hears answers to itself alone");
}

#[test]
fn an_approver_answers_and_asks_nothing() {
    let approver = publishes("noor");
    assert!(approver.contains("\"pf.fleet-1.ans.*\""), "{approver}");
    assert!(!approver.contains(".q.") && !approver.contains("$KV.pf-fleet-1.>"), "{approver}");
}

#[test]
fn only_owners_make_streams_and_write_the_roster_and_nobody_deletes_any() {
    for name in ["mini", "noor", "pat", "olu", "invited"] {
        let may = publishes(name);
        assert!(!may.contains("STREAM.CREATE") && !may.contains("STREAM.UPDATE"), "{name}: {may}");
    }
    assert!(publishes("mara").contains("\"$JS.API.STREAM.CREATE.pf-fleet-1-q\""));
    let text = configuration(&roster(), false);
    for never in ["DELETE", "PURGE", "\">\"", "no_auth_user", "websocket", "cluster", "leafnodes", "$SYS"] {
        assert!(!text.contains(never), "{never}");
    }
}

#[test]
fn a_member_asks_for_what_streams_have_and_has_the_broker_send_nothing_by_itself() {
    for name in ["mini", "noor", "pat", "olu", "mara"] {
        let may = publishes(name);
        assert!(may.contains("\"$JS.API.CONSUMER.MSG.NEXT.KV_pf-fleet-1.*\""), "{name}: {may}");
        assert!(!may.contains("$JS.FC") && !may.contains("CONSUMER.CREATE.KV_pf-fleet-1."), "{name}: {may}");
    }
    assert!(!publishes("mini").contains("MSG.NEXT.pf-fleet-1-"), "a host reads neither questions nor audits");
}

#[test]
fn an_invited_device_reaches_its_own_invitation_alone() {
    assert_eq!(publishes("invited").trim(), "publish: { allow: [\"pf.fleet-1.join.join-1\"] }");
    assert!(user("invited").contains("subscribe: { allow: [\"_INBOX_join-join-1.>\"] }"));
}

#[test]
fn everybody_gets_replies_of_their_own_alone() {
    for name in ["mini", "noor", "mara"] {
        assert!(user(name).contains(&format!("\"{}.>\"", Subjects::inbox_prefix(name))));
        assert_eq!(user(name).matches("_INBOX").count(), 1, "{name}");
    }
    assert!(Subjects::is_inbox_of("noor", "_INBOX_noor.a.1"));
    for other in
        ["_INBOX_noor", "_INBOX_noor-2.a", "_INBOX.a", "$KV.pf-fleet-1.roster", "pf.fleet-1.kept.roster"]
    {
        assert!(!Subjects::is_inbox_of("noor", other), "{other}");
    }
}

#[test]
fn an_older_server_is_not_given_what_it_refuses() {
    assert!(configuration(&roster(), false).contains("sync_interval: always"));
    assert!(!configuration(&roster(), true).contains("sync_interval"));
}

#[test]
fn a_folder_s_name_ends_no_line_and_no_quotation() {
    let (fleet, roster) = (&id("fleet-1"), &roster());
    let folder = "/a\"b\\c\nlisten: 0.0.0.0:1";
    let (listen, before_2_10, in_container) = ("127.0.0.1:7720", false, false);
    let broker = Broker { fleet, roster, invited: &[], listen, folder, before_2_10, in_container };
    let text = broker.configuration();
    assert_eq!(text.lines().filter(|line| line.starts_with("listen")).count(), 1);
    assert!(text.contains(r#"cert_file: "/a\"b\\clisten: 0.0.0.0:1/broker.crt""#), "{text}");
}

#[test]
fn in_a_container_it_listens_to_what_is_published_and_leaves_the_process_id_alone() {
    let (fleet, roster, folder) = (&id("fleet-1"), &roster(), "/data/fleet/broker");
    for (listen, expected) in
        [("192.168.1.2:7720", "\"0.0.0.0:7720\""), ("[fd00::2]:7721", "\"0.0.0.0:7721\"")]
    {
        let (before_2_10, in_container) = (false, true);
        let broker = Broker { fleet, roster, invited: &[], listen, folder, before_2_10, in_container };
        let text = broker.configuration();
        assert!(text.contains(&format!("\nlisten: {expected}\n")), "{text}");
        assert!(!text.contains("pid_file"), "its own number is another one outside: {text}");
    }
}
