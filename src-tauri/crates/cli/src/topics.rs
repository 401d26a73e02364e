//! Topics of `postern help` beyond single commands.

use crate::failure::EXIT_CODES;

pub(crate) const TOPICS: [&str; 4] = ["exit-codes", "patterns", "exec-approval", "managed"];

pub(crate) fn topic_text(topic: &str) -> Option<&'static str> {
    match topic {
        "exit-codes" => Some(EXIT_CODES),
        "patterns" => Some(PATTERNS),
        "exec-approval" => Some(EXEC_APPROVAL),
        "managed" => Some(MANAGED),
        _ => None,
    }
}

const PATTERNS: &str = include_str!("texts/patterns.txt");

const EXEC_APPROVAL: &str = include_str!("texts/exec-approval.txt");

const MANAGED: &str = include_str!("texts/managed.txt");

#[cfg(test)]
mod tests {
    use super::topic_text;

    #[test]
    fn every_topic_fits_into_a_terminal() {
        for topic in super::TOPICS {
            let text = topic_text(topic).unwrap();
            let long = text.lines().find(|line| line.chars().count() > 80);
            assert_eq!(long, None, "{topic}");
        }
    }
}
