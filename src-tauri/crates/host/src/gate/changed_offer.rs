//! An offer of *Always* as a person changed it: other words, another place, and what else it covers.

use crate::book::OfferedRule;
use postern_command::escape;
use postern_contract::{AnswerParams, NotApplied};
use postern_policy::{
    AgentPolicy, AlwaysOffer, Draft, Effect, Facts, Pattern, Pin, Rule, RuleInput, RuleOrigin, Widening,
    covers_step, edit_draft, expand_home, kind_name, normal_path, parse_pattern, widened_place,
};

pub(super) struct ChangedOffer<'a> {
    pub(super) policy: &'a AgentPolicy,
    pub(super) facts: Facts<'a>,
    /// Offers of the question, with this one.
    pub(super) offers: &'a [AlwaysOffer],
    pub(super) offer: &'a AlwaysOffer,
    pub(super) params: &'a AnswerParams,
    pub(super) origin: RuleOrigin,
}

impl ChangedOffer<'_> {
    /// Returns the rules to save, and what they add to the offer.
    pub(super) fn rules(&self) -> Result<(Vec<OfferedRule>, Vec<Widening>), NotApplied> {
        if self.params.edited.is_some() && self.offer.drafts.len() > 1 {
            return Err(NotApplied::SeveralRules);
        }
        let folder = match &self.params.folder {
            _ if self.params.anywhere => None,
            Some(folder) => Some(folder_of(folder, self.facts.home)?),
            None => self.offer.folder.clone(),
        };
        let (mut rules, mut all) = (Vec::new(), Vec::new());
        for offered in &self.offer.drafts {
            let (rule, mut added) = self.rule(offered, folder.as_deref())?;
            rules.push(rule);
            added.retain(|one| !all.contains(one));
            all.append(&mut added);
        }
        Ok((rules, all))
    }

    /// Returns the rule of a draft in a folder. Changed, it still has to cover the request.
    fn rule(
        &self,
        offered: &Draft,
        folder: Option<&str>,
    ) -> Result<(OfferedRule, Vec<Widening>), NotApplied> {
        let (draft, mut added) = match &self.params.edited {
            Some(text) => {
                let pattern = edited_pattern(&offered.pattern, text)?;
                edit_draft(&self.facts, self.offers, offered, pattern)
            }
            None => (offered.clone(), Vec::new()),
        };
        let mut rule = OfferedRule::of_draft(&draft, folder, Effect::Allow);
        rule.broad = !added.is_empty() && matches!(rule.pattern, Pattern::Command(_) | Pattern::Path(_));
        if self.params.any_input {
            rule.input = RuleInput::Any;
        }
        if self.params.by_signer {
            rule.pin = Some(by_signer(rule.pin)?);
        }
        let whole = Rule { origin: self.origin, ..rule.to_rule(Effect::Allow) };
        added.extend(widened_place(self.offer, offered, self.facts.origin, &whole));
        let changes = self.params.edited.is_some() || self.params.folder.is_some();
        if changes && whole.pattern.file_access().is_none() {
            let own = self.offer.folder.as_deref();
            let before = OfferedRule::of_draft(offered, own, Effect::Allow).to_rule(Effect::Allow);
            let covers = |rule: &Rule| covers_step(self.policy, &self.facts, offered.step, rule);
            match (covers(&before), covers(&whole)) {
                (_, true) => {}
                (true, false) => return Err(NotApplied::OtherRequest),
                // What cannot be compared is not taken for the same.
                (false, false) => added.push(Widening::Commands),
            }
        }
        Ok((rule, added))
    }
}

/// Returns a pin that also holds for other versions of its program by the same signer.
fn by_signer(pin: Option<Pin>) -> Result<Pin, NotApplied> {
    let pin = pin.filter(Pin::is_signed).ok_or(NotApplied::NoSigner)?;
    Ok(Pin { by_signer: true, ..pin })
}

/// Reads a folder that a person chose.
fn folder_of(text: &str, home: &str) -> Result<String, NotApplied> {
    let folder = expand_home(text.trim(), home);
    let whole = folder.starts_with('/') && escape::is_visible(&folder);
    if whole { Ok(normal_path(&folder).into_owned()) } else { Err(NotApplied::NoFolder(text.to_owned())) }
}

pub(super) fn edited_pattern(offered: &Pattern, edited: &str) -> Result<Pattern, NotApplied> {
    // A rule about files stays one: the same text by itself would name programs.
    let kind = offered.file_access().map(|_| kind_name(offered));
    parse_pattern(edited, kind).map_err(NotApplied::Pattern)
}

#[cfg(test)]
mod tests {
    use super::{by_signer, edited_pattern, folder_of};
    use postern_policy::{Authority, Identity, Pattern, Pin, Signature};

    #[test]
    fn only_a_proven_signature_stands_for_other_versions() {
        let pin = |authority| {
            let (signing_id, team_id) = ("com.example.tool".to_owned(), Some("TEAM".to_owned()));
            let signature = Signature { authority, signing_id, team_id, cdhash: String::new() };
            let [sha256, mtime_ns, ctime_ns, inode] = [const { String::new() }; 4];
            let (size, device, version, signature) = (1, 1, None, Some(signature));
            Pin::new(Identity { sha256, size, mtime_ns, ctime_ns, device, inode, version, signature })
        };
        assert!(by_signer(Some(pin(Authority::DeveloperId))).unwrap().by_signer);
        assert!(by_signer(Some(pin(Authority::AdHoc))).is_err() && by_signer(None).is_err());
    }

    #[test]
    fn an_edited_rule_for_reading_names_no_program() {
        let offered = Pattern::Read("/Users/u/notes".to_owned());
        for edited in ["/Users/u/code", "~/bin/**"] {
            assert_eq!(edited_pattern(&offered, edited).unwrap(), Pattern::Read(edited.to_owned()));
        }
        assert!(edited_pattern(&offered, "git push *").is_err(), "words of a command are no folder");
    }

    #[test]
    fn a_folder_is_a_whole_path() {
        assert_eq!(folder_of(" ~/Projects/site/ ", "/Users/u").unwrap(), "/Users/u/Projects/site");
        assert_eq!(folder_of("/srv/a/../b", "/Users/u").unwrap(), "/srv/b");
        for text in ["", "site", "../site", "/srv/\u{202e}b"] {
            assert!(folder_of(text, "/Users/u").is_err(), "{text}");
        }
    }
}
