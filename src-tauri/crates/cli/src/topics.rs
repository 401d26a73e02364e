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

const PATTERNS: &str = "\
A rule's pattern says by how it is written what kind it is.

  /opt/homebrew/bin/rg   path      a word with / in it, or with ~ or $HOME first
  ~/.local/bin/*                   * and ? stay inside one folder, ** crosses
                                   folders, [ab] and {a,b} choose
  git push *             command   words, one by one; a last * is any further
                                   words, none included
  npm run test:*                   within a word, * is any text and ? one
                                   character
  --exact 'git log -1'   exact     these words and no others
  sha256:HEX             identity  the program's content, wherever it lies
  team:TEAMID                      who signed it, by a certificate of Apple's
                                   (macOS)
  signing:TEAMID:ID                the same, and its signing id;
                                   signing:platform:ID is a part of macOS

--args adds one pattern per word for the arguments of a path: * is one word, a
last ** any further ones.
--pin binds the rule to the program as it is now: replace the program, and you
are asked. It holds nothing where the agent itself can change the program (its
folders, temporary folders), and is refused there.

An allow rule is read narrowly, a deny rule generously: docs/RULES.md says how,
with examples.
";

const EXEC_APPROVAL: &str = "\
The execApproval settings of an agent profile go in and out as JSON:

  postern rules import config.json --format exec-approval --agent main
  postern rules export --format exec-approval --agent main > config.json
  postern rules import approvals.json --format openclaw --agent claw --check
  postern rules export --format openclaw --agent claw > approvals.json

  { \"execApproval\": { \"security\": \"allowlist\", \"ask\": \"on-miss\",
      \"timeoutMs\": 60000, \"askFallback\": \"deny\",
      \"allowlist\": [ { \"pattern\": \"git **\" } ] } }

  security, ask    as here: deny, allowlist, full; off, on-miss, always
  timeoutMs        how long a question waits, 10000 to 1800000 [default: 60000]
  askFallback      the agent's fallback. full runs what no one answers: the
                   import warns and wants --yes
  git **           git with any arguments: the command pattern `git *` here
  git status       these words and no others
  /usr/bin/git **  the program at this path, with any arguments

All of a file is imported or, if one field is wrong, nothing; the message names
the field. No entry allows more here than it does there: ** within a command
is one word, and an entry with a single *, ?, [ ] or { } is refused,
because these stop at a / there. What Postern cannot read is asked about,
with any entries in the list. In an export, rules that have no words there
(deny rules, pins, times, arguments, globs over paths) are named and left out.
";

const MANAGED: &str = "\
An organization can ship rules and settings that no one changes here. The file
is read from

  macOS       /Library/Managed Preferences/dev.postern.desktop.plist (or .jsonc)
  elsewhere   /etc/postern/managed.jsonc
  and         the file that the variable POSTERN_MANAGED names at the start

  { \"version\": 1, \"organisation\": \"ACME\",
    \"rules\": [ { \"effect\": \"deny\", \"text\": \"git push *\",
                 \"why\": \"pushes go through review\" } ],
    \"settings\": { \"fallback\": \"deny\" } }

Rules are written as `postern rules export` writes them, settings as
`postern agents show --json` names them. What is denied there is final. What is
set there cannot be changed here, and is as it was once the file is gone. The
file is read again whenever it changes. It and its folders must belong to root
(the one of POSTERN_MANAGED: to root or to you), and no one else may write to
them. While a file is there that cannot be read or trusted, everything is
denied: `postern status` and `postern doctor` say where the mistake is.
";

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
