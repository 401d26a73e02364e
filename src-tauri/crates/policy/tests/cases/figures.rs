//! docs/FIGURES.md against what the cases come out as: `scripts/figures` writes the tables, and this test holds them.

use crate::files::repository;
use crate::judged;
use postern_policy::Decision;
use postern_policy::case::Expect;
use std::collections::BTreeMap;
use std::fs;

/// Results of the cases of one class.
#[derive(Debug, Default)]
struct Tally {
    harmless: usize,
    harmless_stopped: usize,
    doubtful: usize,
    doubtful_allowed: usize,
    denied: usize,
    denied_allowed: usize,
    denied_asked: usize,
}

const HEAD: &str = "| class | harmless lines | asked or denied | lines to be asked about | allowed | lines to be denied | run | only asked |\n\
                    |---|---|---|---|---|---|---|---|\n";

#[test]
fn the_page_tells_the_figures_of_the_corpus() {
    let text = page();
    let (corpus, own) = tallies();
    assert_eq!(section(&text, "corpus"), table(&corpus), "run scripts/figures and commit what it writes");
    // Cases are added every day: the page may be behind in how many there are, never in how they come out.
    for (class, tally) in own {
        let wrong =
            tally.harmless_stopped + tally.doubtful_allowed + tally.denied_allowed + tally.denied_asked;
        assert_eq!(wrong, 0, "{class:?}: {tally:?}");
    }
}

#[test]
#[ignore = "writes docs/FIGURES.md: run by scripts/figures"]
fn write_the_page() {
    let (corpus, own) = tallies();
    let fresh = put(&put(&page(), "corpus", &table(&corpus)), "own", &table(&own));
    fs::write(repository().join("docs/FIGURES.md"), fresh).unwrap();
}

fn page() -> String {
    fs::read_to_string(repository().join("docs/FIGURES.md")).unwrap()
}

type Tallies = BTreeMap<(String, u64), Tally>;

/// Counts the corpus, and our own cases.
fn tallies() -> (Tallies, Tallies) {
    let (mut corpus, mut own) = (Tallies::new(), Tallies::new());
    for one in judged() {
        let class = one.written["class"].as_str().unwrap_or("other").to_owned();
        let all = if one.corpus { &mut corpus } else { &mut own };
        let tally = all.entry((class, one.written["tier"].as_u64().unwrap_or(1))).or_default();
        // If several verdicts are right, the actual one counts, otherwise the mildest.
        let deserved = match &one.case.expect {
            Expect::One(one) => *one,
            Expect::Any(_) if one.outcome.ok => one.outcome.got,
            Expect::Any(any) => *any.iter().min().unwrap(),
        };
        tally.count(deserved, one.outcome.got);
    }
    (corpus, own)
}

impl Tally {
    fn count(&mut self, deserved: Decision, got: Decision) {
        match deserved {
            Decision::Allow => {
                self.harmless += 1;
                self.harmless_stopped += usize::from(got != Decision::Allow);
            }
            Decision::Ask => {
                self.doubtful += 1;
                self.doubtful_allowed += usize::from(got == Decision::Allow);
            }
            Decision::Deny => {
                self.denied += 1;
                self.denied_allowed += usize::from(got == Decision::Allow);
                self.denied_asked += usize::from(got == Decision::Ask);
            }
        }
    }

    fn row(&self, name: &str) -> String {
        let Self {
            harmless,
            harmless_stopped,
            doubtful,
            doubtful_allowed,
            denied,
            denied_allowed,
            denied_asked,
        } = self;
        format!(
            "| {name} | {harmless} | {harmless_stopped} | {doubtful} | {doubtful_allowed} | {denied} | {denied_allowed} | {denied_asked} |\n"
        )
    }
}

fn table(tallies: &Tallies) -> String {
    let rows = tallies.iter().map(|((class, tier), tally)| tally.row(&format!("{class}, tier {tier}")));
    HEAD.to_owned() + &rows.collect::<String>()
}

fn marks(name: &str) -> (String, String) {
    (format!("<!-- {name} -->\n"), format!("<!-- end of {name} -->"))
}

fn section<'a>(page: &'a str, name: &str) -> &'a str {
    let (start, end) = marks(name);
    let rest = page.split_once(&start).unwrap_or_else(|| panic!("no {start} in docs/FIGURES.md")).1;
    rest.split_once(&end).unwrap_or_else(|| panic!("no {end} in docs/FIGURES.md")).0
}

fn put(page: &str, name: &str, table: &str) -> String {
    let (start, _) = marks(name);
    page.replace(&format!("{start}{}", section(page, name)), &format!("{start}{table}"))
}
