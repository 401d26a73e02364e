//! Parts of a question that an approver's program does not show: it allows none that has them, whatever the program says else.

use crate::insiders::{Insider, random_bytes};
use crate::rights::with_noor;
use crate::stage::{AskedFromAfar, Mac, PATIENCE, ran_once, until_waiting};
use postern_doors::fleet::{Elsewhere, FleetApprover, FleetChoice};
use postern_fleet::{FleetAnswer, FleetReceipt, Payload, Sealed, Seed, SignedEnvelope, Subjects};
use tokio::time::timeout;

/// Answers as another program with this Mac's keys, which shows these parts. Returns the host's receipt.
async fn answered(
    (noor, mac): (&Insider, &Mac),
    to: &Elsewhere,
    (answer, shows): (FleetChoice, &[&str]),
) -> FleetReceipt {
    let pinned = mac.folder().pinned().unwrap();
    let body = FleetAnswer {
        question: to.question.id.parse().unwrap(),
        revision: to.revision,
        digest: to.question.digest.clone(),
        answer,
        rule: (answer == FleetChoice::Always).then(|| "exact".to_owned()),
        shows: shows.iter().map(|part| (*part).to_owned()).collect(),
        feedback: None,
        roster: pinned.hash,
    };
    let host = pinned.roster.member(&to.host).unwrap().seal;
    let mut seed = Seed::new(random_bytes());
    let sealed = noor.header().seal_body(&body, &[host], &noor.keys.sign, &mut seed).unwrap().encode();
    let asked = noor.client.request(Subjects::for_fleet(&noor.fleet).answers(&to.host), sealed.into());
    let reply = timeout(PATIENCE, asked).await.unwrap().unwrap();
    let envelope = SignedEnvelope::decode(&reply.payload, reply.payload.len()).unwrap();
    let receipt: Payload<Sealed> = serde_json::from_slice(&envelope.payload).unwrap();
    receipt.open_body(&noor.keys.open).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_show_a_part_allows_no_question_that_has_it() {
    let (mut stage, phone) = with_noor().await;
    let AskedFromAfar { news: _news, file, run, asked } = stage.watch_and_ask("file").await;
    let theirs = until_waiting(&FleetApprover::connect(&phone.folder()).await.unwrap(), &asked).await;
    let noor = Insider::of(&stage, &phone, false).await;
    let sent = async |shows: &[&str]| answered((&noor, &phone), &theirs, (FleetChoice::Always, shows)).await;
    let others = ["environment", "input", "programs", "scripts", "changeable", "no-part"];
    let lists: [&[&str]; 2] = [&[], &others];
    for shows in lists {
        let refused = sent(shows).await;
        let told =
            matches!(&refused, FleetReceipt::Refused { reason, .. } if reason.contains("does not show"));
        assert!(told, "{shows:?}: {refused:?}");
    }
    assert!(!file.exists());
    let shown = sent(&["always"]).await;
    assert!(matches!(shown, FleetReceipt::Applied { missing: 0, .. }), "{shown:?}");
    ran_once(run, &file).await;
}
